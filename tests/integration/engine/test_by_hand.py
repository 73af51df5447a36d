"""Cash that was collected at the door (row 6): no gateway can pay it back, a person does and says so with the proof."""

from datetime import timedelta
from typing import Any

import pytest

from orders.errors import Conflict
from refunds.actions import Action
from refunds.console.words import INCIDENTS
from refunds.destinations import Instrument
from refunds.models import GatewayRefund, Incident, LedgerEntry, Refund
from refunds.policy import BUILT_IN
from refunds.selectors.allowed import allowed_actions
from refunds.services.acts import Approval, Elsewhere, External, approve, record_external, retry, set_target
from refunds.states import Goods, RefundState
from tests.factories import request, ship
from tests.integration.engine.conftest import Engine
from tests.integration.engine.crediting import ACCOUNTS
from tests.integration.engine.money import incidents, messages, sums
from tests.integration.engine.returns import (
    AGENT,
    FINANCE,
    Courier,
    bought,
    fresh,
    in_force,
    pass_time,
    state,
    target,
    work,
)
from workers.bootstrap import _GATEWAYS
from workers.ports import NO_LIMITS, Capabilities, NotSent

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]
OUT_OF_TIME = timedelta(seconds=BUILT_IN.send_seconds, hours=1)


@pytest.fixture(autouse=True)
def collected(settings: Any) -> None:
    settings.GATEWAY_ACCOUNTS = ACCOUNTS | {"sandbox": {"adapter": "manual"}}


@pytest.fixture
def engine() -> Engine:
    return Engine(_GATEWAYS["manual"]({}, NO_LIMITS).capabilities)


def approved(engine: Engine) -> Refund:
    order = bought(1000, customer_reference="C-1")
    ship(order, "delivered")
    [refund] = request(order, goods=Goods.KEEP).refunds
    work(engine, Courier(), refund)
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, Courier(), refund)
    return refund


def money_moved(refund: Refund) -> str:
    return next(c["reason"] for c in fresh(refund).conditions if c["type"] == "MoneyMoved")


def test_it_waits_for_a_person_who_pays_and_records_it(engine: Engine) -> None:
    refund = approved(engine)
    assert (state(refund), money_moved(refund), incidents(refund)) == (
        RefundState.REFUNDING,
        "PaidByHand",
        ["pay_by_hand"],
    )
    assert GatewayRefund.objects.get().attempt == 0
    assert Action.RECORD_EXTERNAL in allowed_actions(fresh(refund), FINANCE)
    assert Action.RETRY not in allowed_actions(fresh(refund), FINANCE)
    record_external(target(refund), External(1000, "CASH-1"), actor=FINANCE)
    work(engine, Courier(), refund)
    assert (state(refund), sums(refund), incidents(refund)) == (RefundState.REFUNDED, (0, 1000), [])
    assert LedgerEntry.objects.get(kind="external").reference == "CASH-1"
    assert messages(refund) == ["received", "refunded"]


def test_paid_in_part_the_rest_waits_on(engine: Engine) -> None:
    refund = approved(engine)
    record_external(target(refund), External(400, "CASH-1"), actor=FINANCE)
    work(engine, Courier(), refund)
    assert (state(refund), sums(refund), incidents(refund)) == (RefundState.REFUNDING, (600, 400), ["pay_by_hand"])
    record_external(target(refund), External(600, "CASH-2"), actor=FINANCE)
    work(engine, Courier(), refund)
    assert (state(refund), messages(refund)) == (RefundState.REFUNDED, ["received", "refunded"])


def test_nobody_pays_in_time_and_it_has_failed_like_any_other(engine: Engine) -> None:
    refund = approved(engine)
    pass_time(OUT_OF_TIME)
    work(engine, Courier(), refund)
    assert (state(refund), incidents(refund)) == (RefundState.FAILED, ["refund_failed"])
    retry(target(refund), actor=FINANCE)
    work(engine, Courier(), refund)
    assert (state(refund), incidents(refund)) == (RefundState.REFUNDING, ["pay_by_hand", "refund_failed"])


def test_it_can_be_store_credit_instead(engine: Engine) -> None:
    refund = approved(engine)
    set_target(target(refund), Elsewhere(Instrument.STORE_CREDIT), actor=AGENT)
    assert GatewayRefund.objects.get(state="intended").target == "store-credit"
    assert Action.RECORD_EXTERNAL not in allowed_actions(fresh(refund), FINANCE)


def test_nobody_pays_what_a_second_person_has_not_agreed_to(engine: Engine) -> None:
    in_force(second_approval_minor={"EUR": 500})
    refund = approved(engine)
    assert incidents(refund) == []
    with pytest.raises(Conflict) as refused:
        record_external(target(refund), External(1000, "CASH-1"), actor=FINANCE)
    assert refused.value.code == "nothing_to_retry"


def test_nothing_is_sent_whoever_asks_it(engine: Engine) -> None:
    gateway = _GATEWAYS["manual"]({}, NO_LIMITS)
    assert isinstance(gateway.refund(None, budget=None), NotSent)  # type: ignore[arg-type]
    assert gateway.capabilities == Capabilities(look_up=False, idempotency_keys=False, listing=False, by_hand=True)
    assert "pay_by_hand" in INCIDENTS and not Incident.objects.exists()
