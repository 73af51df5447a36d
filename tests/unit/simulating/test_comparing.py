"""What another policy would have made of a request of the past: one row per rule that decides, and what cannot be
said."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from orders.states import ShipmentState
from refunds.money import Ask, LineMoney, OrderMoney, sheet
from refunds.policy import BUILT_IN, FeeRule, PolicySpec
from refunds.returnable import Exclusion, LineFacts
from refunds.simulating import Asked, AskedUnits, Compared, Difference, FirstStep, NotAsItWas, PastParcel, compare
from refunds.simulating.outcomes import drawn, first_route
from refunds.states import Goods

NOON = datetime(2026, 10, 8, 12, tzinfo=UTC)
BOOK = LineFacts("book", "ship", {"kind": "book"})
PARCEL = PastParcel(
    ShipmentState.DELIVERED,
    shipped_at=NOON - timedelta(days=9),
    known_at=NOON - timedelta(days=9),
    fact_at=NOON - timedelta(days=8),
    delivered_at=NOON - timedelta(days=8),
    heard_at=NOON - timedelta(days=8),
)
AT_HOME = {1: PARCEL}
ON_ITS_WAY = {1: replace(PARCEL, state=ShipmentState.SHIPPED, delivered_at=None, heard_at=None)}


def money(**fields: Any) -> OrderMoney:
    line = LineMoney("A", "Book", quantity=2, list_minor=2000, tax_minor=0)
    return OrderMoney(
        **{"currency": "EUR", "prices_include_tax": True, "lines": (line,), "captured_minor": 2000} | fields
    )


NOTHING = sheet(money(), Ask())


def asked(before: PolicySpec = BUILT_IN, **fields: Any) -> Asked:
    """Two books that have not left, as `before` drew them up."""
    units = (AskedUnits("A", BOOK, 2, 1 if fields.get("parcels") else None),)
    plain = Asked(
        **{"number": "RF-1", "at": NOON, "currency": "EUR", "money": money(), "sheet": NOTHING, "units": units} | fields
    )
    return replace(plain, sheet=drawn(plain, plain.units, before, first_route(plain, before)))


def differs(was: PolicySpec, would: PolicySpec, **fields: Any) -> Compared:
    return compare(asked(was, **fields), was, would)


LIMIT = replace(BUILT_IN, instant_limit_minor={"EUR": 1999})
BY_ITSELF = replace(BUILT_IN, approve_returns=True)
FOUR_EYES = replace(BUILT_IN, second_approval_minor={"EUR": 1999})
MARKED = replace(BUILT_IN, protected_labels={"risk": "high"})
FEE = replace(BUILT_IN, restocking_fee=FeeRule(100))
SEVEN_DAYS = replace(BUILT_IN, window_days=7)
NO_BOOKS = replace(BUILT_IN, exclusions=(Exclusion("no-books", {"kind": "book"}),))


@pytest.mark.parametrize(
    ("was", "would", "fields", "told"),
    [
        (BUILT_IN, LIMIT, {}, [("first step", "paid at once", "looked at by a person")]),
        (LIMIT, BUILT_IN, {}, [("first step", "looked at by a person", "paid at once")]),
        (BUILT_IN, LIMIT, {"parcels": AT_HOME}, []),
        (BUILT_IN, BY_ITSELF, {"parcels": AT_HOME}, [("first step", "looked at by a person", "approved by itself")]),
        (BY_ITSELF, BUILT_IN, {"parcels": AT_HOME}, [("first step", "approved by itself", "looked at by a person")]),
        (BUILT_IN, BY_ITSELF, {"parcels": ON_ITS_WAY}, []),
        (BUILT_IN, FOUR_EYES, {"parcels": AT_HOME}, [("second person", "no", "yes")]),
        (
            BUILT_IN,
            FOUR_EYES,
            {},
            [("first step", "paid at once", "looked at by a person"), ("second person", "no", "yes")],
        ),
        (BUILT_IN, MARKED, {"parcels": AT_HOME, "labels": {"risk": "high"}}, [("second person", "no", "yes")]),
        (BUILT_IN, MARKED, {"parcels": AT_HOME, "labels": {"risk": "low"}}, []),
        (BUILT_IN, FEE, {"parcels": AT_HOME}, [("fees", "", "higher"), ("amount", "", "lower")]),
        (FEE, BUILT_IN, {"parcels": AT_HOME}, [("fees", "", "lower"), ("amount", "", "higher")]),
        (BUILT_IN, FEE, {"parcels": AT_HOME, "reason_code": "damaged"}, []),
        (BUILT_IN, FEE, {}, []),
        (BUILT_IN, SEVEN_DAYS, {"parcels": AT_HOME}, [("taken back", "yes", "no: the window is over")]),
        (BUILT_IN, SEVEN_DAYS, {"parcels": AT_HOME, "is_bound": False}, []),
        (BUILT_IN, SEVEN_DAYS, {"parcels": AT_HOME, "contested": True}, []),
        (BUILT_IN, SEVEN_DAYS, {"parcels": ON_ITS_WAY}, []),
        (BUILT_IN, replace(BUILT_IN, window_days=8), {"parcels": AT_HOME}, []),
        (BUILT_IN, replace(SEVEN_DAYS, fault_window_days=30), {"parcels": AT_HOME, "reason_code": "damaged"}, []),
        (BUILT_IN, replace(SEVEN_DAYS, window_from="last_parcel"), {"parcels": AT_HOME, "all_sent": False}, []),
        (BUILT_IN, NO_BOOKS, {"parcels": AT_HOME}, [("taken back", "yes", "no: excluded by no-books")]),
        (BUILT_IN, NO_BOOKS, {}, []),
        (BUILT_IN, NO_BOOKS, {"parcels": AT_HOME, "reason_code": "damaged"}, []),
        (BUILT_IN, replace(BUILT_IN, stop_shipment="confirm"), {}, [("stop confirmed", "no", "yes")]),
        (BUILT_IN, replace(BUILT_IN, stop_shipment="confirm"), {"parcels": AT_HOME}, []),
        (
            BUILT_IN,
            replace(BUILT_IN, way_back="drop_off"),
            {"parcels": AT_HOME, "way_back": "pickup"},
            [("way back", "pickup", "drop off")],
        ),
        (BUILT_IN, replace(BUILT_IN, way_back="drop_off"), {"way_back": "pickup"}, []),
        (replace(BUILT_IN, way_back="drop_off"), BUILT_IN, {"parcels": AT_HOME, "way_back": "pickup"}, []),
        (
            BUILT_IN,
            replace(BUILT_IN, pay_on="receipt"),
            {"parcels": AT_HOME},
            [("paid on", "inspection", "receipt")],
        ),
        (BUILT_IN, replace(BUILT_IN, pay_on="receipt"), {"parcels": AT_HOME, "goods": Goods.KEEP}, []),
        (
            BUILT_IN,
            replace(BUILT_IN, refund_to="store_credit"),
            {"has_credit": True},
            [("paid to", "original", "store credit")],
        ),
        (BUILT_IN, replace(BUILT_IN, refund_to="store_credit"), {}, []),
        (BUILT_IN, replace(BUILT_IN, hold_for_credit_note=True), {}, [("credit note awaited", "no", "yes")]),
        (
            BUILT_IN,
            replace(BUILT_IN, delivered_after_seconds=86_400),
            {"parcels": ON_ITS_WAY},
            [("way", "intercept", "pickup")],
        ),
        (BUILT_IN, BUILT_IN, {"parcels": AT_HOME}, []),
    ],
)
def test_what_would_have_been_decided_otherwise(
    was: PolicySpec, would: PolicySpec, fields: dict[str, Any], told: list[tuple[str, str, str]]
) -> None:
    assert differs(was, would, **fields).differences == tuple(Difference(*one) for one in told)


def test_the_amounts_are_those_of_the_sheets() -> None:
    found = differs(BUILT_IN, FEE, parcels=AT_HOME)
    assert (found.was.amount_minor, found.would.amount_minor, found.would.fees_minor) == (2000, 1800, 200)


def test_what_is_refused_pays_nothing() -> None:
    found = differs(BUILT_IN, SEVEN_DAYS, parcels=AT_HOME)
    assert (found.would.first, found.would.amount_minor) == (FirstStep.REFUSED, 0)


def test_a_request_is_judged_by_what_was_known_then() -> None:
    """Delivered since, and lost since: at the time it was on its way."""
    later = NOON + timedelta(days=1)
    for state, delivered in ((ShipmentState.DELIVERED, later), (ShipmentState.LOST, None)):
        parcel = replace(PARCEL, state=state, fact_at=later, delivered_at=delivered, heard_at=delivered)
        assert differs(BUILT_IN, BUILT_IN, parcels={1: parcel}).was.route == "intercept"


def test_what_left_after_it_was_asked_for_had_not_left() -> None:
    parcel = replace(PARCEL, known_at=NOON + timedelta(days=1))
    assert differs(BUILT_IN, BUILT_IN, parcels={1: parcel}).was.route == "instant"


def test_of_several_lines_the_excluded_ones_are_left_out() -> None:
    lines = tuple(LineMoney(key, key, quantity=1, list_minor=1000, tax_minor=0) for key in ("A", "B"))
    units = (AskedUnits("A", BOOK, 1, 1), AskedUnits("B", LineFacts("cup", "ship", {}), 1, 1))
    found = differs(BUILT_IN, NO_BOOKS, parcels=AT_HOME, money=money(lines=lines), units=units)
    assert Difference("taken back", "yes", "in part: excluded by no-books") in found.differences
    assert (found.was.amount_minor, found.would.amount_minor) == (2000, 1000)


def test_a_set_that_may_not_be_split_any_more() -> None:
    lines = tuple(LineMoney(key, key, quantity=1, list_minor=1000, tax_minor=0, bundle="pair") for key in ("A", "B"))
    one_of_two = {"parcels": AT_HOME, "money": money(lines=lines), "units": (AskedUnits("A", BOOK, 1, 1),)}
    found = differs(BUILT_IN, replace(BUILT_IN, bundles="whole"), **one_of_two)
    assert found.differences == (Difference("taken back", "yes", "no: sold as a set"),)
    with pytest.raises(NotAsItWas):
        differs(BUILT_IN, replace(BUILT_IN, bundles="whole"), **one_of_two, is_part=True)


def test_what_the_rows_do_not_say_any_more_is_not_guessed() -> None:
    """The prices were changed after the request."""
    request = asked(parcels=AT_HOME)
    dearer = replace(request.money.lines[0], list_minor=3000)
    with pytest.raises(NotAsItWas):
        compare(replace(request, money=money(lines=(dearer,))), BUILT_IN, FEE)


def test_units_that_do_not_fit_the_order_any_more_are_not_guessed() -> None:
    request = asked(parcels=AT_HOME)
    with pytest.raises(NotAsItWas):
        compare(replace(request, units=(AskedUnits("A", BOOK, 9, 1),)), BUILT_IN, FEE)


def test_units_that_cannot_have_been_together_are_not_guessed() -> None:
    request = asked(parcels=AT_HOME)
    apart = (AskedUnits("A", BOOK, 1, 1), AskedUnits("A", BOOK, 1, None))
    with pytest.raises(NotAsItWas):
        compare(replace(request, units=apart), BUILT_IN, FEE)


def test_a_free_amount_is_worth_the_same_by_any_policy() -> None:
    found = differs(BUILT_IN, FEE, units=(), ask=Ask(amount_minor=500), is_bound=False, needs_nobody=True, by_shop=True)
    assert (found.was.amount_minor, found.differences) == (500, ())


def test_what_was_never_charged_comes_to_nothing() -> None:
    found = differs(BUILT_IN, LIMIT, charged=False)
    assert (found.was.amount_minor, found.differences) == (0, ())


def test_what_its_own_policy_would_not_have_taken_back_is_not_guessed() -> None:
    """It was, so something was known then that the rows do not say any more."""
    with pytest.raises(NotAsItWas):
        differs(SEVEN_DAYS, BUILT_IN, parcels=AT_HOME)
