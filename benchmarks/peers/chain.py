"""The work of the chains that a shop would build: the ORM, one refund at a time, a step to pay it and one to tell.

It writes the same rows into the same tables as the product, so that constraints, indexes and triggers cost both the
same and one check holds for both: order lock, counters, refund, movement claimed before the call, ledger, hashed
events, notifications. What a shop would not have it leaves out: conditions, webhooks, claims of messages, retries
after an unknown outcome. The texts are rendered by the product's code. One transaction a step, and in it one query that
locks the order and reads what the step needs; only changed columns are saved, and rows of one kind are written
together. What carries the steps is Celery (`tuned_tasks`), or an extra.
"""

from collections.abc import Callable
from datetime import timedelta

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from benchmarks.in_process import GATEWAY, MESSENGERS
from benchmarks.peers.chain_messages import pending_messages
from orders.models import OrderLine
from orders.states import OrderRefundState
from refunds.chain import Event, link
from refunds.messages.render import render_message
from refunds.models import GatewayRefund, LedgerEntry, Notification, Refund, RefundEvent
from workers.ports import Accepted, Budget, Movement

CALL_SECONDS = 10
ADVANCED = ("state", "event_seq", "event_head", "next_reconcile_at", "updated_at")
DELIVERED = ("state", "provider_id", "recipient", "language", "next_reconcile_at", "sent_to_provider_at")


def pay(refund_id: int, *, then: Callable[[int], object] | None = None) -> None:
    """`then` is called in the transaction that notes that the money is back."""
    movement = claim(refund_id)
    asked = Movement(
        number=movement.number,
        idempotency_key=movement.idempotency_key,
        payment_reference=movement.share.payment.reference,
        amount_minor=movement.amount_minor,
        currency=movement.currency,
    )
    reply = GATEWAY.refund(asked, budget=_budget())
    with transaction.atomic():
        record(refund_id, reply)
        if then:
            then(refund_id)


def tell(refund_id: int) -> None:
    told = []
    for notification, facts in pending_messages(refund_id):
        delivered = MESSENGERS[notification.channel].send(render_message(facts), budget=_budget())
        notification.deliver()
        notification.provider_id = delivered.provider_id
        notification.recipient, notification.language = facts.to, facts.language
        notification.next_reconcile_at, notification.sent_to_provider_at = None, timezone.now()
        told.append(notification)
    Notification.objects.bulk_update(told, DELIVERED)


@transaction.atomic
def claim(refund_id: int) -> GatewayRefund:
    movement, refund, now = *_locked(refund_id), timezone.now()
    refund.pay_at_once()
    RefundEvent.objects.bulk_create([_event(refund, "refund.refunding", {})])
    refund.next_reconcile_at, refund.updated_at = now + timedelta(seconds=CALL_SECONDS), now
    refund.save(update_fields=ADVANCED)
    movement.call, movement.attempt = "sent", movement.attempt + 1
    movement.sent_at = movement.first_sent_at = now
    movement.answer_due_at = now + timedelta(seconds=CALL_SECONDS)
    movement.save(update_fields=["call", "attempt", "sent_at", "first_sent_at", "answer_due_at"])
    return movement


def record(refund_id: int, reply: Accepted) -> None:
    movement, refund, now = *_locked(refund_id), timezone.now()
    movement.succeed()
    movement.call, movement.gateway_refund_id, movement.settled_at = "idle", reply.fact.gateway_refund_id, now
    movement.save(update_fields=["state", "call", "gateway_refund_id", "settled_at"])
    _book(movement)
    _count(refund)
    refund.succeed()
    facts = {"number": movement.number, "amount_minor": movement.amount_minor, "currency": movement.currency}
    facts |= {"gateway_refund_id": movement.gateway_refund_id, "failure_code": "", "attempt": movement.attempt}
    told = [("gateway_refund.succeeded", facts), ("refund.refunded", {})]
    RefundEvent.objects.bulk_create([_event(refund, kind, data) for kind, data in told])
    _owe_messages(refund)
    refund.next_reconcile_at, refund.finished_at = None, now
    refund.acknowledged_at = refund.updated_at = now
    refund.save(update_fields=[*ADVANCED, "finished_at", "acknowledged_at"])


def _locked(refund_id: int) -> tuple[GatewayRefund, Refund]:
    """Its movement, and the refund, under their order's lock."""
    locking = GatewayRefund.objects.select_for_update(no_key=True, of=("refund__order",))
    movement = locking.select_related("refund__order", "share__payment").get(refund=refund_id)
    return movement, movement.refund


def _book(movement: GatewayRefund) -> None:
    share, amount, now = movement.share, movement.amount_minor, timezone.now()
    share.reserved_minor -= amount
    share.refunded_minor += amount
    share.save(update_fields=["reserved_minor", "refunded_minor"])
    about = {"share": share, "gateway_refund": movement, "amount_minor": amount, "occurred_at": now, "recorded_at": now}
    LedgerEntry.objects.bulk_create([LedgerEntry(kind=kind, **about) for kind in ("release", "refund")])


def _count(refund: Refund) -> None:
    """The whole order is refunded for good."""
    OrderLine.objects.filter(order=refund.order_id).update(
        held=0, refunded=F("quantity"), refunded_unshipped=F("quantity")
    )
    order = refund.order
    order.cancel()
    order.refund_state = OrderRefundState.REFUNDED
    order.resource_version += 1
    order.save(update_fields=["state", "refund_state", "resource_version"])


def _event(refund: Refund, kind: str, data: dict[str, object]) -> RefundEvent:
    """The next link of the refund's chain."""
    refund.event_seq += 1
    event = Event(refund.event_seq, kind, data, "system", "system", timezone.now())
    refund.event_head = link(bytes(refund.event_head), event)
    return RefundEvent(
        refund=refund,
        seq=event.seq,
        kind=kind,
        data=data,
        actor=event.actor,
        role=event.role,
        occurred_at=event.occurred_at,
        hash=refund.event_head,
    )


def _owe_messages(refund: Refund) -> None:
    now = timezone.now()
    about = {"refund": refund, "event_seq": refund.event_seq, "template": "refunded_at_once"}
    about |= {"next_reconcile_at": now, "created_at": now}
    Notification.objects.bulk_create([Notification(channel=channel, **about) for channel in ("email", "sms")])


def _budget() -> Budget:
    return Budget(CALL_SECONDS, monotonic=lambda: 0.0)
