"""Money that bounced, or has not left, goes elsewhere: by whose word, with what proof, and never by a link alone."""

from datetime import timedelta

import pytest
from django.conf import settings as configured
from django.db import transaction

from orders import clock
from orders.errors import Conflict, Forbidden, Invalid, Problem
from orders.models import Order
from orders.roles import Actor, Role
from refunds.destinations import Instrument, code_of
from refunds.models import GatewayRefund, Notification, Refund, RefundEvent, TargetChange
from refunds.services.acts import (
    Approval,
    Elsewhere,
    approve,
    confirm_target,
    second_approve,
    set_target,
)
from refunds.states import RefundState
from tests.factories import request
from tests.integration.engine.conftest import Engine
from tests.integration.engine.crediting import ACCOUNTS, Crediting, balance
from tests.integration.engine.money import DECLINED, only_send
from tests.integration.engine.returns import AGENT, bought, fresh, pass_time, state, target
from tests.integration.engine.test_reversals import reversed_refund
from tests.integration.engine.threads import together

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]
BOSS = Actor("principal:7", Role.SUPERVISOR)
CREDIT = Elsewhere(Instrument.STORE_CREDIT)
IBAN = "DE02120300000000202051"
BANK = Elsewhere(Instrument.ACCOUNT, "bank", IBAN, "Ada", proof="letter 7")


@pytest.fixture(autouse=True)
def accounts(settings) -> None:
    bank = {"adapter": "http", "payouts": True, "limits": {"currencies": ["EUR"]}}
    settings.GATEWAY_ACCOUNTS = ACCOUNTS | {"bank": bank}
    settings.SMS_URL = "http://127.0.0.1:9/sms"


@pytest.fixture
def crediting(engine: Engine) -> Crediting:
    return Crediting(engine)


def customer(refund: Refund) -> Actor:
    return Actor(f"customer:{refund.order_id}", Role.CUSTOMER)


def code(refund: Refund) -> str:
    salt = TargetChange.objects.filter(refund=refund).latest("id").code_salt
    return code_of(configured.SECRET_KEY, salt)


def wrong(refund: Refund) -> str:
    return f"{(int(code(refund)) + 1) % 10**6:06d}"


def refused(work) -> str:
    with pytest.raises(Problem) as problem, transaction.atomic():
        work()
    return problem.value.code


def changed(refund: Refund, *, phone: timedelta | None = None, email: timedelta | None = None) -> None:
    now = clock.now()
    times = {"phone_changed_at": phone and now - phone, "email_changed_at": email and now - email}
    Order.objects.filter(pk=refund.order_id).update(**times)


def test_an_agent_gives_bounced_money_as_store_credit_at_once(engine: Engine, crediting: Crediting) -> None:
    refund = reversed_refund(engine)
    set_target(target(refund), CREDIT, actor=AGENT)
    crediting.run(refund)
    assert state(refund) == RefundState.REFUNDED and balance(Order.objects.get()) == 1000
    first, second = GatewayRefund.objects.order_by("id")
    assert (first.state, first.replaced_by, second.state, second.target) == (
        "reversed",
        second.number,
        "succeeded",
        "store-credit",
    )


def test_a_link_alone_moves_nothing_and_with_the_code_it_is_done(engine: Engine, crediting: Crediting) -> None:
    refund = reversed_refund(engine)
    set_target(target(refund), CREDIT, actor=customer(refund))
    crediting.run(refund)
    assert state(refund) == RefundState.FAILED and balance(Order.objects.get()) == 0
    assert list(Notification.objects.filter(template="target_code").values_list("channel", flat=True)) == ["sms"]
    confirm_target(target(refund), code=code(refund), actor=customer(refund))
    crediting.run(refund)
    assert state(refund) == RefundState.REFUNDED and balance(Order.objects.get()) == 1000


def test_another_account_needs_code_proof_and_a_second_person(engine: Engine, crediting: Crediting) -> None:
    refund = reversed_refund(engine)
    unproved = Elsewhere(Instrument.ACCOUNT, "bank", IBAN)
    assert refused(lambda: set_target(target(refund), unproved, actor=AGENT)) == "required"
    set_target(target(refund), BANK, actor=AGENT)
    confirm_target(target(refund), code=code(refund), actor=AGENT)
    crediting.run(refund)
    assert state(refund) == RefundState.REFUNDING and crediting.sent == []
    assert refused(lambda: second_approve(target(refund), actor=AGENT)) == "own_target"
    second_approve(target(refund), actor=BOSS)
    crediting.run(refund)
    [(account, movement)] = crediting.sent
    assert (state(refund), account, movement.payee) == (RefundState.REFUNDED, "bank", IBAN)


def test_nobody_agrees_in_time_and_it_has_failed_again(engine: Engine, crediting: Crediting) -> None:
    refund = reversed_refund(engine)
    set_target(target(refund), BANK, actor=AGENT)
    confirm_target(target(refund), code=code(refund), actor=AGENT)
    crediting.run(refund)
    pass_time(timedelta(days=7, seconds=1))
    crediting.run(refund)
    assert state(refund) == RefundState.FAILED and crediting.sent == []


def test_what_was_never_sent_goes_under_its_own_number_and_what_was_declined_under_another(
    engine: Engine, crediting: Crediting
) -> None:
    [refund] = request(bought(1000)).refunds
    engine.answer(only_send(engine, refund), DECLINED)
    assert state(refund) == RefundState.FAILED
    set_target(target(refund), CREDIT, actor=AGENT)
    crediting.run(refund)
    numbers = list(GatewayRefund.objects.order_by("id").values_list("number", "state", "target"))
    assert numbers == [(f"{refund.number}-1", "cancelled", ""), (f"{refund.number}-2", "succeeded", "store-credit")]
    [other] = request(bought(1000)).refunds
    set_target(target(other), CREDIT, actor=AGENT)
    crediting.run(other)
    [only] = GatewayRefund.objects.filter(refund=other)
    assert (only.number, only.state, only.target) == (f"{other.number}-1", "succeeded", "store-credit")


def test_money_that_was_never_sent_waits_for_two_others(engine: Engine, crediting: Crediting) -> None:
    [refund] = request(bought(1000)).refunds
    set_target(target(refund), BANK, actor=AGENT)
    confirm_target(target(refund), code=code(refund), actor=AGENT)
    crediting.run(refund)
    assert state(refund) == RefundState.IN_REVIEW
    approve(target(refund), Approval(), actor=Actor("principal:12", Role.SUPPORT))
    crediting.run(refund)
    assert crediting.sent == []
    second_approve(target(refund), actor=BOSS)
    crediting.run(refund)
    assert state(refund) == RefundState.REFUNDED and crediting.sent[0][0] == "bank"


def test_five_wrong_codes_end_the_change(engine: Engine) -> None:
    refund = reversed_refund(engine)
    set_target(target(refund), CREDIT, actor=customer(refund))
    right, bad = code(refund), wrong(refund)
    answers = [confirm_target(target(refund), code=bad, actor=customer(refund)) for _ in range(5)]
    assert [a.code for a in answers if isinstance(a, Problem)] == ["code_wrong"] * 4 + ["code_spent"]
    again = lambda: confirm_target(target(refund), code=right, actor=customer(refund))  # noqa: E731
    assert refused(again) == "no_code_sent" and state(refund) == RefundState.FAILED
    refusals = RefundEvent.objects.filter(refund=refund, kind="target.code_refused").order_by("seq")
    assert list(refusals.values_list("data__trials", flat=True)) == [1, 2, 3, 4, 5]


def test_three_codes_an_hour(engine: Engine) -> None:
    refund = reversed_refund(engine)
    for _ in range(3):
        set_target(target(refund), CREDIT, actor=customer(refund))
    assert refused(lambda: set_target(target(refund), CREDIT, actor=customer(refund))) == "too_many_codes"
    pass_time(timedelta(hours=1, seconds=1))
    set_target(target(refund), CREDIT, actor=customer(refund))
    assert TargetChange.objects.filter(ended_at=None).count() == 1


def test_an_old_code_and_one_used_before_are_worth_nothing(engine: Engine, crediting: Crediting) -> None:
    refund = reversed_refund(engine)
    set_target(target(refund), CREDIT, actor=customer(refund))
    first = code(refund)
    set_target(target(refund), CREDIT, actor=customer(refund))
    if first != code(refund):
        answer = confirm_target(target(refund), code=first, actor=customer(refund))
        assert isinstance(answer, Conflict) and answer.code == "code_wrong"
    confirm_target(target(refund), code=code(refund), actor=customer(refund))
    replay = lambda: confirm_target(target(refund), code=code(refund), actor=customer(refund))  # noqa: E731
    assert refused(replay) == "no_code_sent"


def test_a_code_runs_out(engine: Engine) -> None:
    refund = reversed_refund(engine)
    set_target(target(refund), CREDIT, actor=customer(refund))
    pass_time(timedelta(minutes=15))
    answer = confirm_target(target(refund), code=code(refund), actor=customer(refund))
    assert isinstance(answer, Conflict) and answer.code == "code_expired"
    assert fresh(refund).code_until is None


def test_a_phone_that_was_changed_an_hour_ago_proves_nothing(engine: Engine) -> None:
    refund = reversed_refund(engine)
    hour = timedelta(hours=1)
    changed(refund, phone=hour)
    set_target(target(refund), CREDIT, actor=customer(refund))
    assert TargetChange.objects.get().code_channel == "email"
    changed(refund, phone=hour, email=hour)
    assert refused(lambda: set_target(target(refund), CREDIT, actor=customer(refund))) == "contact_changed"
    assert refused(lambda: set_target(target(refund), BANK, actor=AGENT)) == "contact_changed"


def test_a_phone_that_is_stated_while_the_code_is_under_way_gets_none_of_it(engine: Engine) -> None:
    refund = reversed_refund(engine)
    known = Order.objects.get().customer_phone
    set_target(target(refund), CREDIT, actor=customer(refund))
    Order.objects.update(customer_phone="+49666", phone_changed_at=clock.now())
    assert TargetChange.objects.get().code_to == known


def test_contact_and_target_both_changed_within_a_day_need_a_second_person(
    engine: Engine, crediting: Crediting
) -> None:
    refund = reversed_refund(engine)
    changed(refund, email=timedelta(hours=1))
    set_target(target(refund), CREDIT, actor=AGENT)
    crediting.run(refund)
    assert state(refund) == RefundState.REFUNDING and balance(Order.objects.get()) == 0
    second_approve(target(refund), actor=BOSS)
    crediting.run(refund)
    assert state(refund) == RefundState.REFUNDED


def test_where_no_money_can_go_is_refused(engine: Engine, settings) -> None:
    refund = reversed_refund(engine)
    nowhere = Elsewhere(Instrument.ACCOUNT, "elsewhere", IBAN, proof="x")
    assert refused(lambda: set_target(target(refund), nowhere, actor=AGENT)) == "unknown_account"
    to_gateway = Elsewhere(Instrument.ACCOUNT, "sandbox", IBAN, proof="x")
    assert refused(lambda: set_target(target(refund), to_gateway, actor=AGENT)) == "unknown_account"
    blank = Elsewhere(Instrument.ACCOUNT, "bank", " ", proof="x")
    assert refused(lambda: set_target(target(refund), blank, actor=AGENT)) == "required"
    settings.GATEWAY_ACCOUNTS = ACCOUNTS | {
        "bank": {"adapter": "http", "payouts": True, "limits": {"currencies": ["USD"]}}
    }
    assert refused(lambda: set_target(target(refund), BANK, actor=AGENT)) == "currency_not_taken"
    Order.objects.update(customer_email="", customer_reference="")
    assert refused(lambda: set_target(target(refund), CREDIT, actor=AGENT)) == "no_store_credit"
    settings.GATEWAY_ACCOUNTS = {"sandbox": {"adapter": "http"}}
    assert refused(lambda: set_target(target(refund), CREDIT, actor=AGENT)) == "no_store_credit"


def test_a_customer_without_a_holder_at_the_time_of_the_code_is_refused_then(engine: Engine) -> None:
    refund = reversed_refund(engine)
    set_target(target(refund), CREDIT, actor=customer(refund))
    Order.objects.update(customer_email="", customer_reference="")
    right = code(refund)
    assert refused(lambda: confirm_target(target(refund), code=right, actor=customer(refund))) == "no_store_credit"


def test_claimed_money_goes_where_it_was_sent(engine: Engine) -> None:
    [refund] = request(bought(1000)).refunds
    set_target(target(refund), CREDIT, actor=customer(refund))
    right = code(refund)
    only_send(engine, refund)
    assert refused(lambda: confirm_target(target(refund), code=right, actor=customer(refund))) == "money_claimed"
    assert refused(lambda: set_target(target(refund), CREDIT, actor=AGENT)) == "money_claimed"
    assert GatewayRefund.objects.get().target == ""


def test_two_at_once_and_one_does_it(engine: Engine, crediting: Crediting) -> None:
    refund = reversed_refund(engine)
    set_target(target(refund), CREDIT, actor=customer(refund))
    right = code(refund)
    outcomes = together(*[lambda: _confirmed(refund, right)] * 2)
    assert sorted(outcomes) == ["done", "no_code_sent"]
    crediting.run(refund)
    assert balance(Order.objects.get()) == 1000 and GatewayRefund.objects.count() == 2


def _confirmed(refund: Refund, right: str) -> str:
    try:
        confirm_target(target(refund), code=right, actor=customer(refund))
    except Problem as problem:
        return problem.code
    return "done"


def test_a_customer_does_not_say_back_to_the_card_and_a_warehouse_says_nothing(engine: Engine) -> None:
    refund = reversed_refund(engine)
    back = Elsewhere(Instrument.ORIGINAL)
    for actor in (customer(refund), Actor("principal:3", Role.WAREHOUSE)):
        with pytest.raises(Forbidden):
            set_target(target(refund), back, actor=actor)
    with pytest.raises(Invalid):
        set_target(target(refund), Elsewhere(Instrument.ACCOUNT, "", IBAN, proof="x"), actor=AGENT)


def test_nothing_personal_stands_in_the_trail(engine: Engine) -> None:
    refund = reversed_refund(engine)
    set_target(target(refund), BANK, actor=AGENT)
    confirm_target(target(refund), code=code(refund), actor=AGENT)
    told = str(list(RefundEvent.objects.filter(refund=refund).values_list("data", flat=True)))
    assert IBAN not in told and "Ada" not in told and code(refund) not in told


def test_a_claim_and_a_code_at_once_and_the_money_goes_one_way(engine: Engine) -> None:
    for _ in range(10):
        [refund] = request(bought(1000)).refunds
        set_target(target(refund), CREDIT, actor=customer(refund))
        right = code(refund)
        begun, said = together(
            lambda r=refund: Engine().begin(r, wait_ms=10_000), lambda r=refund, c=right: _confirmed(r, c)
        )
        claimed = [out.account for out in begun.calls]  # type: ignore[attr-defined]
        movement = GatewayRefund.objects.get(refund=refund)
        assert (movement.target, said) == (
            ("store-credit", "done") if claimed != ["sandbox"] else ("", "money_claimed")
        )


def test_an_address_that_changes_after_the_target_protects_it_too(engine: Engine) -> None:
    [refund] = request(bought(1000)).refunds
    set_target(target(refund), CREDIT, actor=AGENT)
    changed(refund, email=timedelta(minutes=1))
    assert engine.begin(refund).calls == [] and state(refund) == RefundState.IN_REVIEW
