"""One order as an operator reads it: its units, its money, and the refunds to describe next. No personal data."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from orders.models import Channel
from orders.selectors.orders import OrderPage
from refunds.amounts import format_minor
from refunds.declared.choosing import InForce, OrderFacts
from refunds.management.manifest_description import precedence_table
from refunds.management.writing import age, field, moment, table


def describe_order(page: OrderPage, channel: Channel, policies: Sequence[InForce], now: datetime) -> str:
    """`policies`: those in force."""
    order = page.order
    facts = OrderFacts(channel.slug, order.labels, channel.policy)
    return "\n".join(
        [
            field("Name", order.number),
            field("Channel", channel.slug),
            field("State", order.state),
            field("Refund state", order.refund_state),
            field("Total", format_minor(order.total_minor, order.currency, "en")),
            field("Ordered", moment(order.ordered_at, now)),
            field("Version", order.version),
            field("Resource version", order.resource_version),
            *table("Lines", ("Line", "SKU", "Bought", "Shipped", "Delivered", "Held", "Refunded"), _lines(page)),
            *table("Payments", ("Account", "Reference", "Captured", "Reserved", "Refunded"), _payments(page)),
            *table("Shipments", ("Reference", "Carrier", "Tracking number", "State", "Age"), _shipments(page, now)),
            *precedence_table(policies, facts, title="Policies"),
            *table("Refunds", ("Number", "State", "Route", "Amount", "Age"), _refunds(page, now)),
        ]
    )


def _lines(page: OrderPage) -> Iterator[tuple[object, ...]]:
    for line in page.lines:
        yield line.line_id, line.sku, line.quantity, line.shipped, line.delivered, line.held, line.refunded


def _payments(page: OrderPage) -> Iterator[tuple[object, ...]]:
    for share in page.shares:
        payment = page.payments[share.payment_id]
        amounts = (share.captured_minor, share.reserved_minor, share.refunded_minor)
        yield payment.account, payment.reference, *(format_minor(a, payment.currency, "en") for a in amounts)


def _shipments(page: OrderPage, now: datetime) -> Iterator[tuple[object, ...]]:
    for parcel in page.shipments:
        yield parcel.reference, parcel.carrier, parcel.tracking_number, parcel.state, age(now - parcel.shipped_at)


def _refunds(page: OrderPage, now: datetime) -> Iterator[tuple[object, ...]]:
    for refund in page.refunds:
        amount = format_minor(refund.amount_minor, refund.currency, "en")
        yield refund.number, refund.state, refund.route, amount, age(now - refund.created_at)
