"""An order as the console shows it: read only, with its refunds."""

from typing import Any

from django.utils.translation import gettext as _

from orders.models import OrderLine
from orders.selectors.orders import OrderPage
from refunds.console import words, written
from refunds.console.presenter import state_of, word
from refunds.console.tables import Line, Table
from refunds.selectors.store_credit import credit_of

#: As it is read out; a shop may know more of it.
ADDRESS = ("name", "street", "street2", "postal_code", "city", "region", "country")


def page(found: OrderPage) -> dict[str, Any]:
    order = found.order
    return {
        "title": _("Order %(number)s") % {"number": order.number},
        "facts": _facts(found),
        "tables": [_lines(found), _shipments(found), _payments(found)],
        "refunds": [
            (refund.number, state_of(refund), written.amount(refund.amount_minor, refund.currency))
            for refund in found.refunds
        ],
    }


def _facts(found: OrderPage) -> list[tuple[str, str]]:
    order = found.order
    address = ", ".join(str(order.shipping_address[part]) for part in ADDRESS if order.shipping_address.get(part))
    state = words.ORDER_STATES.get(order.state, order.state)
    refund_state = words.ORDER_REFUND_STATES.get(order.refund_state, "")  # type: ignore[call-overload]
    overpaid = written.amount(found.overpaid_minor, order.currency) if found.overpaid_minor else ""
    facts = [
        (_("Customer"), order.customer_name or "–"),
        (_("E-mail"), order.customer_email or "–"),
        (_("Phone"), order.customer_phone or "–"),
        (_("Address"), address or "–"),
        (_("Amount"), written.amount(order.total_minor, order.currency)),
        *((_("Store credit"), written.amount(has.balance_minor, has.currency)) for has in credit_of(order)),
        (_("State"), f"{state}, {refund_state}"),
        (_("Ordered"), written.moment(order.ordered_at)),
        (_("Paid too much"), overpaid),
    ]
    return [(label, text) for label, text in facts if text]


def _lines(found: OrderPage) -> Table:
    heads = [_("Item"), _("Units"), _("Shipped"), _("Held by refunds"), _("Refunded"), _("Price")]
    lines = [_line(line, found.order.currency) for line in found.lines if line.quantity]
    return Table("lines", _("Items"), heads, lines, frozenset({1, 2, 3, 4, 5}))


def _line(line: OrderLine, currency: str) -> Line:
    price = written.amount(line.list_minor, currency)
    return Line([f"{line.name} · {line.sku}", line.quantity, line.shipped, line.held, line.refunded, price])


def _shipments(found: OrderPage) -> Table:
    heads = [_("Carrier"), _("Tracking number"), _("State"), _("Shipped"), _("Delivered")]
    lines = [
        Line(
            [
                parcel.carrier,
                parcel.tracking_number,
                word(words.SHIPMENTS, parcel.state),
                written.moment(parcel.shipped_at),
                written.moment(parcel.delivered_at),
            ]
        )
        for parcel in found.shipments
    ]
    return Table("parcels", _("Parcels"), heads, lines)


def _payments(found: OrderPage) -> Table:
    heads = [_("Payment"), _("Captured"), _("Reserved"), _("Refunded"), _("Disputed")]
    currency = found.order.currency
    lines = []
    for share in found.shares:
        payment = found.payments[share.payment_id]
        sums = (share.captured_minor, share.reserved_minor, share.refunded_minor)
        disputed = written.amount(share.disputed_minor, currency) if share.disputed_minor else ""
        amounts = [*(written.amount(minor, currency) for minor in sums), disputed]
        lines.append(Line([f"{payment.account} · {payment.reference}", *amounts]))
    return Table("money", _("Payments"), heads, lines, frozenset({1, 2, 3, 4}))
