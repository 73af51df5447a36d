"""What pays more, sooner, or with fewer eyes on it, is looser."""

from dataclasses import replace
from typing import Any

import pytest

from refunds.declared.loosening import loosened
from refunds.policy import FAULTS, FeeRule, PolicySpec
from refunds.returnable import Exclusion

STRICT = replace(
    PolicySpec(),
    instant_limit_minor={"EUR": 1000},
    second_approval_minor={"EUR": 1000},
    protected_labels={"risk": "high"},
    window_days=7,
    fault_window_days=30,
    exclusions=(Exclusion("fresh", {"fresh": "true"}),),
    restocking_fee=FeeRule(100, {"EUR": 100}),
    return_shipping_fee=FeeRule(0, {"EUR": 100}),
    stop_shipment="confirm",
    shipping="completing",
    below_minimum="claw_back",
    refund_to="store_credit",
    review_outcome="reject",
    hold_for_credit_note=True,
)


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"instant_limit_minor": {"EUR": 1001}}, "limits.instantMinor"),
        ({"instant_limit_minor": {}}, "limits.instantMinor"),
        ({"second_approval_minor": {"USD": 1}}, "approval.aboveMinor"),
        ({"protected_labels": {}}, "approval.orderLabels"),
        ({"second_bypass": True}, "approval.bypass"),
        ({"approve_returns": True}, "returns.approve"),
        ({"replacements": True}, "returns.replacements"),
        ({"pay_on": "collection"}, "returns.payOn"),
        ({"stop_shipment": "assume"}, "unshipped.stopShipment"),
        ({"window_days": 8}, "window.days"),
        ({"window_days": None}, "window.days"),
        ({"fault_window_days": 31}, "window.faultDays"),
        ({"exclusions": ()}, "exclusions"),
        ({"exclusions": (Exclusion("fresh", {"fresh": "yes"}),)}, "exclusions"),
        ({"restocking_fee": FeeRule(99, {"EUR": 100})}, "fees.restocking"),
        ({"restocking_fee": FeeRule(100)}, "fees.restocking"),
        ({"return_shipping_fee": FeeRule(0, {"EUR": 99})}, "fees.returnShipping"),
        ({"shipping": "first"}, "money.shipping"),
        ({"below_minimum": "keep"}, "money.belowMinimum"),
        ({"refund_to": "original"}, "money.refundTo"),
        ({"review_outcome": "wait"}, "outcomes.review"),
        ({"proof_outcome": "approve"}, "outcomes.proof"),
        ({"hold_for_credit_note": False}, "money.holdForCreditNote"),
        ({"request_attempts": 4}, "limits.requestAttempts"),
        ({"faults": FAULTS | {"changed_mind": "seller"}}, "reasons"),
    ],
)
def test_looser_than_before(change: dict[str, Any], path: str) -> None:
    assert loosened(STRICT, replace(STRICT, **change)) == (path,)


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"instant_limit_minor": {"EUR": 999, "USD": 5}},
        {"window_days": 6, "fault_window_days": 29},
        {"exclusions": (*STRICT.exclusions, Exclusion("custom", {"custom": "true"}))},
        {"exclusions": (Exclusion("renamed", {"fresh": "true"}),)},
        {"restocking_fee": FeeRule(150, {"EUR": 100, "USD": 1})},
        {"review_seconds": 3600},
        {"faults": FAULTS | {"damaged": "customer"}},
    ],
)
def test_stricter_or_the_same(change: dict[str, Any]) -> None:
    assert loosened(STRICT, replace(STRICT, **change)) == ()
