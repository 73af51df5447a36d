"""What the chain's messages tell, read by four plain queries.

The product's own reading knows of visits, offers, codes and parcels, and is made for hundreds at once: for one refund
at a time its statements cost a quarter of what PostgreSQL did for the chain. A shop that pays back whole orders asks
for the refund, what it is of, and where the money went. Only the reading is the chain's; the product's code renders
the texts, from the same facts.
"""

from refunds.messages.facts import Item, MessageFacts
from refunds.messages.language import language_for, locale_for
from refunds.messages.moved import Money, moved_of
from refunds.models import GatewayRefund, Notification, Refund, RefundLine
from refunds.numbers import request_number
from refunds.selectors.addresses import domain_of, order_link
from refunds.states import MovementKind, MovementState


def pending_messages(refund_id: int) -> list[tuple[Notification, MessageFacts]]:
    """Of one refund, with what each tells."""
    refund = Refund.objects.select_related("order__channel").get(pk=refund_id)
    pending = Notification.objects.filter(refund=refund, state="pending")
    items = tuple(Item(units.order_line.name, units.quantity, elsewhere=units.quantity) for units in _units(refund))
    movement = GatewayRefund.objects.select_related("share__payment").get(refund=refund)
    return [(message, _facts(message, refund, items, _money(movement))) for message in pending]


def _units(refund: Refund) -> list[RefundLine]:
    return list(RefundLine.objects.filter(refund=refund).select_related("order_line").order_by("order_line__position"))


def _money(movement: GatewayRefund) -> Money:
    state, kind = MovementState(movement.state), MovementKind(movement.kind)
    reference = movement.share.payment.reference
    return Money(reference, movement.amount_minor, state, movement.settled_at, kind=kind, number=movement.number)


def _facts(message: Notification, refund: Refund, items: tuple[Item, ...], money: Money) -> MessageFacts:
    order, channel = refund.order, refund.order.channel
    wishes = (order.customer_locale, channel.default_locale)
    domain, language = domain_of(refund.number.rpartition("-")[0]), language_for(*wishes)
    request = request_number(refund.number, refund.request_id)
    return MessageFacts(
        template=message.template,
        channel=message.channel,
        language=language,
        locale=locale_for(language, *wishes),
        to=order.customer_email if message.channel == "email" else order.customer_phone,
        identity=message.identity(domain),
        thread=f"request.{refund.request_id}@{domain}",
        refund=refund.number,
        request=request,
        order=order.number,
        page=f"{order_link(message, order.pk)}/requests/{request}" if message.channel == "email" else "",
        requested_at=refund.created_at,
        currency=refund.currency,
        amount_minor=refund.amount_minor,
        moved=moved_of([money], announced=True),
        items=items,
        note=refund.note,
        customer=order.customer_name,
        country=order.shipping_address.get("country", ""),
        asked=False,
        state=refund.state,
        route=refund.route,
        goods=refund.goods,
        shop=channel.name,
        contact=channel.contact,
        sender=channel.sender,
    )
