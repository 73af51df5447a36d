"""Refunds at the gateway that nobody here asked for: found, booked once, shown, and taken back when they are."""

import pytest

from orders.errors import Conflict
from orders.models import Order, Payment
from refunds.models import GatewayRefund, InboundWebhook, Incident, Orphan
from refunds.models.orphan import OrphanKind
from refunds.services.acts import cancel_refund, retry
from refunds.services.inbox import store_events
from refunds.services.orphan_reports import note_refunds
from refunds.services.orphans import OrphanOut
from refunds.services.requests import request_refunds
from tests.factories import SHOP, request, wish
from tests.integration.engine.money import messages
from tests.integration.engine.returns import FINANCE, bought, fresh, target
from tests.integration.orphans.world import (
    World,
    cases,
    conditions,
    drive,
    entries,
    payment_of,
    perform,
    share_the_payment,
    states,
    sums,
)
from workers.contract import Answered, Call
from workers.ports import Found, GatewayEvent, GatewayFact, GatewayStatus, NotSent
from workers.room import Room
from workers.workqueue import Lease, ok

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]


def test_what_was_paid_back_by_hand_is_found_and_booked_once_and_is_one_persons_case(world: World) -> None:
    """Controller checks 72 and 74 (TestSyncOrphanPod, TestGetNewFinshedPods): no owner, adopted, once."""
    order = bought(1000)
    made = world.make(order, 400)
    for _ in range(3):
        world.find()
        world.later()
    assert (sums(order), entries(order)) == ({"refunded": 400}, [("external", 400)])
    assert (states(made), cases(order)) == (["adopted"], ["orphaned_refund"])
    case = Incident.objects.get(order=order)
    assert case.due_at > case.opened_at
    assert (case.data["gateway_refund_id"], case.data["amount_minor"]) == (made, 400)


def test_what_is_told_by_webhook_and_by_the_list_counts_once(world: World) -> None:
    """Controller check 74 (TestTrackJobStatusAndRemoveFinalizers "pod patch errors with partial success")."""
    order = bought(1000)
    made = world.make(order)
    for event in ("1", "1", "2"):
        _hear(order, made, "succeeded", event=event)
    world.settle()
    world.find()
    assert entries(order) == [("external", 1000)]


def test_before_ours_only_what_is_left_can_be_asked_for(world: World) -> None:
    order = bought(600, 400)
    world.make(order, 400)
    world.find()
    [refused] = request_refunds([wish(order)])
    assert isinstance(refused, Conflict)
    [refund] = request(order, ("A", 1)).refunds
    world.run(refund)
    assert (fresh(refund).state, sums(order)) == ("refunded", {"refunded": 1000})


def test_while_ours_is_under_way_its_own_refund_is_no_orphan(world: World) -> None:
    """Controller check 72 (TestSyncOrphanPod): the owner is running, keep."""
    order = bought(1000)
    [refund] = request(order).refunds
    [call] = world.refunds.begin([Lease("refunds", str(refund.pk), "token")], Room(64, lambda: 64)).calls
    answered = perform(world.refunds, call)
    world.find()
    of_it = Orphan.objects.filter(payment_reference=payment_of(order))
    assert (of_it.count(), entries(order)) == (0, [("reserve", 1000)])
    world.refunds.record([answered])
    world.find()
    assert (fresh(refund).state, sums(order), of_it.count()) == ("refunded", {"refunded": 1000}, 0)


def test_a_gateway_that_leaves_our_number_out_of_what_it_tells_makes_no_orphan_of_ours(world: World) -> None:
    """Controller check 72 (TestSyncOrphanPod): the owner is running; it is known by the gateway's own id in the end."""
    order = bought(1000)
    [refund] = request(order).refunds
    [call] = world.refunds.begin([Lease("refunds", str(refund.pk), "token")], Room(64, lambda: 64)).calls
    answered = perform(world.refunds, call)
    [made] = world.made_for(order)
    _hear(order, made, "succeeded")
    world.settle()
    assert (states(made), entries(order)) == (["open"], [("reserve", 1000)])
    world.refunds.record([answered])
    world.later()
    assert (states(made), sums(order), cases(order)) == (["none"], {"refunded": 1000}, [])
    _hear(order, made, "reversed", event="later")
    world.settle()
    assert fresh(refund).state == "refunded", "where the gateway can be asked its word alone moves nothing"


def test_what_takes_the_money_of_ours_before_it_is_sent_makes_ours_fail(world: World) -> None:
    order = bought(1000, 500)
    [refund] = request(order, ("A", 1)).refunds
    world.make(order, 1500)
    world.find()
    assert (fresh(refund).state, sums(order)) == ("failed", {"refunded": 1500})
    assert conditions(refund)["FundsTaken"] == "PaidElsewhere"
    assert (cases(order), messages(refund)) == (["orphaned_refund", "refund_failed"], ["failed"])
    assert GatewayRefund.objects.get(refund=refund).failure_code == "funds_taken"


def test_the_newest_of_ours_loses_first_and_no_more_than_are_needed(world: World) -> None:
    order = bought(400, 300, 300)
    refunds = [request(order, (sku, 1)).refunds[0] for sku in "ABC"]
    world.make(order, 500)
    world.find()
    world.run(refunds[0])
    assert [fresh(refund).state for refund in refunds] == ["refunded", "failed", "failed"]
    assert (sums(order), cases(order)) == ({"refunded": 900}, ["orphaned_refund", "refund_failed", "refund_failed"])


def test_what_is_out_is_not_taken_and_what_is_missing_then_is_excess(world: World) -> None:
    order = bought(400, 600)
    out, waiting = (request(order, (sku, 1)).refunds[0] for sku in "AB")
    [call] = world.refunds.begin([Lease("refunds", str(out.pk), "token")], Room(64, lambda: 64)).calls
    world.make(order, 1000, number="by-hand")
    world.scan()
    drive(world.orphans)
    assert sums(order) == {"reserved": 400, "refunded": 1000, "excess": 400}
    world.refunds.record([Answered(call, NotSent("no room"))])
    world.settle()
    assert [fresh(refund).state for refund in (out, waiting)] == ["failed", "failed"]
    assert (sums(order), conditions(out)["FundsTaken"]) == ({"refunded": 1000}, "PaidElsewhere")


def test_ours_is_paid_by_a_retry_once_what_took_its_money_has_come_back(world: World) -> None:
    order = bought(1000)
    [refund] = request(order).refunds
    made = world.make(order)
    world.find()
    with pytest.raises(Conflict) as refused:
        retry(target(refund), actor=FINANCE)
    assert refused.value.code == "money_not_left"
    world.becomes(made, "reversed")
    world.find()
    retry(target(refund), actor=FINANCE)
    world.run(refund)
    assert (fresh(refund).state, sums(order)) == ("refunded", {"refunded": 1000})
    assert "FundsTaken" not in conditions(refund)
    assert cases(order) == []


def test_after_ours_it_is_excess(world: World) -> None:
    order = bought(1000)
    [refund] = request(order).refunds
    world.run(refund)
    world.make(order, 300)
    world.find()
    assert sums(order) == {"refunded": 1300, "excess": 300}
    assert (fresh(refund).state, cases(order)) == ("refunded", ["excess", "orphaned_refund"])


def test_money_that_moved_for_a_refund_which_had_ended_is_booked_by_it_and_shown(world: World) -> None:
    """Controller check 72 (TestSyncOrphanPod): the owner is finished. It asks its gateway and books what is there into
    the ledger, and a person has the case."""
    order = bought(1000)
    [refund] = request(order).refunds
    cancel_refund(target(refund), actor=SHOP)
    movement = GatewayRefund.objects.get(refund=refund)
    made = world.make(order, number=movement.number)
    for _ in range(2):
        world.find()
        world.later()
    assert (fresh(refund).state, sums(order), states(made)) == ("cancelled", {"refunded": 1000}, ["none"])
    assert conditions(refund)["OrphanedEffect"] == "MovedAfterEnd"
    assert cases(order) == ["orphaned_refund"]


def test_a_second_refund_under_a_number_of_ours_is_found_by_the_list(world: World) -> None:
    order = bought(1000)
    [refund] = request(order).refunds
    world.run(refund)
    movement = GatewayRefund.objects.get(refund=refund)
    made = world.make(order, number=movement.number)
    world.find()
    world.later()
    assert (sums(order), states(made)) == ({"refunded": 2000, "excess": 1000}, ["none"])
    assert cases(order) == ["excess", "second_refund_at_gateway"]
    assert conditions(refund)["OrphanedEffect"] == "SecondRefund"


def test_a_refund_of_another_system_is_left_alone_until_its_payment_is_ours(world: World) -> None:
    """Controller check 72 (TestSyncOrphanPod): of another kind, keep. The order may come later than that."""
    made = world.make_raw(reference="pay-of-somebody", amount_minor=400, currency="EUR")["gateway_refund_id"]
    world.find()
    assert states(made) == ["foreign"]
    order = bought(1000)
    Payment.objects.filter(shares__order=order).update(reference="pay-of-somebody")
    world.find()
    assert (states(made), sums(order)) == (["adopted"], {"refunded": 400})


def test_what_is_under_way_is_reserved_and_asked_about_until_it_has_ended(world: World) -> None:
    """Controller check 74 (TestGetNewFinshedPods): no webhook tells how it ended."""
    orders = bought(1000), bought(1000)
    made = [world.make(order, behaviour="pending_then_succeed", number="") for order in orders]
    _hear(orders[0], made[0], "pending")
    _hear(orders[1], made[1], "pending")
    world.settle()
    assert [sums(order) for order in orders] == [{"reserved": 1000}] * 2
    for one in made:
        world.becomes(one, "succeeded")
    world.later()
    assert [sums(order) for order in orders] == [{"refunded": 1000}] * 2
    assert entries(orders[0]) == [("reserve", 1000), ("release", 1000), ("external", 1000)]


def test_what_never_went_is_free_again_and_no_case_any_more(world: World) -> None:
    order = bought(1000)
    made = world.make(order, behaviour="pending_then_fail")
    _hear(order, made, "pending")
    world.settle()
    assert cases(order) == ["orphaned_refund"]
    world.becomes(made, "failed")
    world.later()
    assert (sums(order), cases(order)) == ({}, [])
    assert Incident.objects.get(order=order).closed_by == "system"


@pytest.mark.parametrize(
    ("told", "booked"),
    [
        (["pending", "failed", "succeeded"], [("reserve", 1000), ("release", 1000), ("external", 1000)]),
        (["failed", "succeeded", "failed", "succeeded"], [("external", 1000), ("reversal", 1000)]),
        (["succeeded", "pending", "succeeded"], [("external", 1000)]),
        (["succeeded", "reversed", "succeeded", "pending"], [("external", 1000), ("reversal", 1000)]),
    ],
)
def test_whatever_order_it_is_told_in_nothing_is_counted_twice(
    world: World, told: list[str], booked: list[tuple[str, int]]
) -> None:
    """Controller check 74 (TestTrackJobStatusAndRemoveFinalizers "pod flips from failed to succeeded")."""
    order = bought(1000)
    for status in told:
        fact = GatewayFact("by-hand", "", GatewayStatus(status), 1000, "EUR", payment_reference=payment_of(order))
        note_refunds("sandbox", [fact])
        world.settle()
    assert entries(order) == booked


def test_a_payment_that_orders_share_gives_from_the_oldest_what_each_has(world: World) -> None:
    old, new = bought(1000), bought(1000)
    share_the_payment(old, new)
    made = world.make(old, 1500)
    world.find()
    assert (sums(old), sums(new)) == ({"refunded": 1000}, {"refunded": 500})
    assert (cases(old), cases(new)) == (["orphaned_refund"], [])
    world.becomes(made, "reversed")
    world.find()
    assert (sums(old), sums(new)) == ({}, {})


def test_money_in_another_currency_is_a_case_and_no_sum(world: World) -> None:
    order = bought(1000)
    world.make(order, currency="USD")
    for _ in range(2):
        world.find()
        world.later()
    assert (entries(order), cases(order)) == ([], ["orphaned_refund"])


def test_a_look_that_raises_is_put_off_and_the_others_are_not(world: World) -> None:
    """Controller check 72: failures are retried (k/k PR 141329)."""
    bad, good = bought(1000), bought(1000)
    for order in (bad, good):
        world.make(order)
    world.scan()
    poison = Orphan.objects.get(payment_reference=payment_of(bad))
    world.orphans.failed(str(poison.pk), RuntimeError("poison"), 3)
    world.settle()
    assert (sums(bad), sums(good)) == ({}, {"refunded": 1000})
    poison.refresh_from_db()
    assert (poison.failures, poison.state) == (1, "open")
    world.later()
    assert sums(bad) == {"refunded": 1000}


def test_an_orphan_that_is_gone_before_its_answer_came_ends(world: World) -> None:
    out = OrphanOut(777777, OrphanKind.REFUND, "sandbox", "a", "", "b")
    call = Call("777777", out.slot, 5.0, out)
    assert world.orphans.record([Answered(call, Found(()))]) == {"777777": ok()}


def test_a_webhook_wakes_only_the_refund_that_it_is_about() -> None:
    """Controller check 51 (TestAddPod, TestPodJobLookup): a foreign child wakes nobody."""
    order, other = bought(1000), bought(1000)
    [refund], [_] = request(order).refunds, request(other).refunds
    number = GatewayRefund.objects.get(refund=refund).number
    _hear(order, "a", "pending", number=number)
    _hear(order, "b", "pending", number="somebody's")
    about = dict(InboundWebhook.objects.values_list("event_id", "refund_id"))
    assert about == {"a-1": refund.pk, "b-1": None}
    assert list(Orphan.objects.values_list("reference", flat=True)) == ["b"]


def _hear(order: Order, gateway_refund_id: str, status: str, *, event: str = "1", number: str = "") -> None:
    told = GatewayEvent(
        event_id=f"{gateway_refund_id}-{event}",
        kind="refund.updated",
        payment_reference=payment_of(order),
        number=number,
        gateway_refund_id=gateway_refund_id,
        status=GatewayStatus(status),
        amount_minor=1000,
        currency="EUR",
        occurred_at=None,
    )
    store_events("sandbox", [told])
