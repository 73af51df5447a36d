"""An unshipped order is refunded at once: rows, counters, ledger, events and messages, pass by pass."""

import pytest

from orders.models import Order, OrderLine, PaymentShare
from refunds.models import LedgerEntry, Notification, Refund, RefundEvent
from refunds.states import RefundState
from tests.factories import make_order, request
from tests.integration.engine.conftest import Engine

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_request_holds_units_and_reserves_money(engine: Engine) -> None:
    order = make_order(1000, 500)
    request(order, ("A", 1))
    line = OrderLine.objects.get(order=order, line_id="A")
    share = PaymentShare.objects.get(order=order)
    assert (line.held, line.withheld, line.refunded_minor) == (1, 1, 1000)
    assert (share.reserved_minor, share.refunded_minor) == (1000, 0)
    assert Order.objects.get(pk=order.pk).refund_state == "refund_requested"


def test_an_unshipped_order_is_refunded_at_once(engine: Engine) -> None:
    order = make_order(1000, 500)
    [refund] = request(order).refunds
    engine.run(refund)
    refund = Refund.objects.get(pk=refund.pk)
    share = PaymentShare.objects.get(order=order)
    assert refund.state == RefundState.REFUNDED
    assert refund.next_reconcile_at is None
    assert (share.reserved_minor, share.refunded_minor) == (0, 1500)
    order = Order.objects.get(pk=order.pk)
    assert (order.state, order.refund_state) == ("cancelled", "refunded")
    kinds = [e.kind for e in RefundEvent.objects.filter(refund=refund).order_by("seq")]
    assert kinds == [
        "refund.requested",
        "shipment.stop_requested",
        "refund.refunding",
        "gateway_refund.succeeded",
        "refund.refunded",
    ]
    entries = [(e.kind, e.amount_minor) for e in LedgerEntry.objects.filter(share=share).order_by("id")]
    assert entries == [("reserve", 1500), ("release", 1500), ("refund", 1500)]
    told = Notification.objects.filter(refund=refund).values_list("channel", "template", "event_seq")
    assert sorted(told) == [("email", "refunded_at_once", 5), ("sms", "refunded_at_once", 5)]
