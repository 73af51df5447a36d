"""Every act about a refund as the walk does it, and what it is to leave."""

from collections.abc import Callable
from datetime import timedelta

from orders import clock
from orders.errors import Problem
from orders.models import Principal
from orders.roles import Actor, Role
from orders.services.lines import Sku
from refunds.actions import Action
from refunds.destinations import Instrument
from refunds.models import GatewayRefund, Refund
from refunds.services import acts
from refunds.services.acts import Approval, Disposed, Elsewhere, External, Inspected, Offer, Parcel, Target
from refunds.states import Disposition, Remedy
from tests.pictures import photo


def _elsewhere(actor: Actor) -> Elsewhere:
    """A customer chooses store credit, and gets a code; an agent says at once that it goes back."""
    is_customer = actor.role is Role.CUSTOMER
    return Elsewhere(Instrument.STORE_CREDIT if is_customer else Instrument.ORIGINAL)


def _a_payment(on: Target) -> str:
    first = GatewayRefund.objects.filter(refund__number=on.number).first()
    return first.share.payment.reference if first else "none"


Act = Callable[[Target, Actor], Refund | Problem]
ACTS: dict[Action, Act] = {
    Action.CANCEL: lambda on, actor: acts.cancel_refund(on, actor=actor),
    Action.APPROVE: lambda on, actor: acts.approve(on, Approval(), actor=actor),
    Action.SECOND_APPROVE: lambda on, actor: acts.second_approve(on, actor=actor),
    Action.BYPASS_SECOND: lambda on, actor: acts.bypass_second(on, reason="alone today", actor=actor),
    Action.OFFER: lambda on, actor: acts.offer(on, Offer(300, "A scratch."), actor=actor),
    Action.ACCEPT_OFFER: lambda on, actor: acts.accept_offer(on, actor=actor),
    Action.DECLINE_OFFER: lambda on, actor: acts.decline_offer(on, actor=actor),
    Action.ASK: lambda on, actor: acts.ask(on, text="Which side?", actor=actor),
    Action.WRITE: lambda on, actor: acts.write(on, text="It is sound.", actor=actor),
    Action.CONTEST: lambda on, actor: acts.contest(on, note="It was whole.", actor=actor),
    Action.REOPEN: lambda on, actor: acts.reopen(on, note="It was whole.", actor=actor),
    Action.REJECT: lambda on, actor: acts.reject(on, reason="Worn.", actor=actor),
    Action.REPLACE: lambda on, actor: acts.replace(on, Remedy.REPLACEMENT, actor=actor),
    Action.HOLD: lambda on, actor: acts.hold(on, until=None, actor=actor),
    Action.RESUME: lambda on, actor: acts.resume(on, actor=actor),
    Action.SHIP_BACK: lambda on, actor: acts.ship_back(on, Parcel("post", "X1"), actor=actor),
    Action.REBOOK_PICKUP: lambda on, actor: acts.rebook_pickup(
        on, slot_from=clock.now() + timedelta(days=1), slot_to=clock.now() + timedelta(days=2), actor=actor
    ),
    Action.DROP_OFF: lambda on, actor: acts.drop_off(on, actor=actor),
    Action.RECEIVE: lambda on, actor: acts.receive(on, actor=actor),
    Action.DOUBT_PARCEL: lambda on, actor: acts.doubt_parcel(on, what="wrong_parcel", note="Bricks.", actor=actor),
    Action.INSPECT: lambda on, actor: acts.inspect(on, [Inspected(Sku("A"), accepted=2, damaged=1)], actor=actor),
    Action.DISPOSE: lambda on, actor: acts.dispose(on, [Disposed(Sku("A"), 1, Disposition.WRITE_OFF)], actor=actor),
    Action.CONFIRM_STOP: lambda on, actor: acts.confirm_stop(on, stopped=False, actor=actor),
    Action.PROVE_DELIVERY: lambda on, actor: acts.prove_delivery(on, delivered=True, note="Signed.", actor=actor),
    Action.CONFIRM_ARRIVAL: lambda on, actor: acts.confirm_arrival(on, actor=actor),
    Action.RETRY: lambda on, actor: acts.retry(on, actor=actor),
    Action.RECORD_EXTERNAL: lambda on, actor: acts.record_external(
        on, External(400, "T-1", payment=_a_payment(on)), actor=actor
    ),
    Action.SET_TARGET: lambda on, actor: acts.set_target(on, _elsewhere(actor), actor=actor),
    Action.CONFIRM_TARGET: lambda on, actor: acts.confirm_target(on, code="000000", actor=actor),
    Action.EVIDENCE: lambda on, actor: acts.give_evidence(on, [photo()], actor=actor),
    Action.CLOSE: lambda on, actor: acts.close(on, note="Paid in cash.", actor=actor),
    Action.ASSIGN: lambda on, actor: acts.assign(on, to=Principal.objects.get(name="colleague").pk, actor=actor),
}
#: The event an act writes, and the state after it where that is another one.
EFFECTS = {
    Action.CANCEL: "refund.cancelled cancelled",
    Action.APPROVE: "refund.awaiting_return awaiting_return",
    Action.SECOND_APPROVE: "refund.second_approved",
    Action.BYPASS_SECOND: "refund.second_bypassed",
    Action.OFFER: "refund.offered offered",
    Action.ACCEPT_OFFER: "refund.refunding refunding",
    Action.DECLINE_OFFER: "refund.in_review in_review",
    Action.ASK: "case.message",
    Action.WRITE: "case.message",
    Action.CONTEST: "refund.contested in_review",
    Action.REOPEN: "refund.reopened in_review",
    Action.REJECT: "refund.rejected rejected",
    Action.REPLACE: "refund.remedy_set",
    Action.HOLD: "refund.held",
    Action.RESUME: "refund.resumed",
    Action.SHIP_BACK: "pickup.in_transit",
    Action.REBOOK_PICKUP: "pickup.rebooked",
    Action.DROP_OFF: "refund.drop_off_chosen",
    Action.RECEIVE: "refund.goods_received inspecting",
    Action.DOUBT_PARCEL: "refund.parcel_doubted",
    Action.INSPECT: "refund.refunding refunding",
    Action.DISPOSE: "goods.disposed",
    Action.CONFIRM_STOP: "shipment.left",
    Action.EVIDENCE: "case.evidence",
    Action.PROVE_DELIVERY: "carrier.proof_given",
    Action.CONFIRM_ARRIVAL: "shipment.arrival_confirmed",
    Action.RETRY: "refund.refunding refunding",
    Action.RECORD_EXTERNAL: "refund.external_recorded",
    Action.SET_TARGET: "target.set",
    Action.CONFIRM_TARGET: "target.set",
    Action.CLOSE: "refund.cancelled cancelled",
    Action.ASSIGN: "refund.assigned",
}
