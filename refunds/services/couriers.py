"""Which courier goes for whom: the channel's, where it names one that is configured, else the installation's."""

from django.conf import settings

from orders.models import Channel, Order, Shipment
from refunds.models import Pickup, Refund
from refunds.services.docket import Docket


def is_configured(account: str) -> bool:
    return account in settings.COURIER_ACCOUNTS


def courier_of(channel: Channel) -> str:
    return channel.courier if is_configured(channel.courier) else settings.COURIER


def courier_for(order: Order) -> str:
    """Its channel is only read where there is a choice."""
    return courier_of(order.channel) if _is_choice() else settings.COURIER


def courier_in(docket: Docket, refund: Refund) -> str:
    """The same, by the rows in hand."""
    return courier_of(docket.channel_of(docket.orders[refund.order_id])) if _is_choice() else settings.COURIER


def account_of(docket: Docket, refund: Refund, row: Pickup | Shipment) -> str:
    """Whom to ask about a parcel: who was sent for it; of one on its way out whoever goes for its shop."""
    return row.account if isinstance(row, Pickup) else courier_in(docket, refund)


def _is_choice() -> bool:
    return any(account != settings.COURIER for account in settings.COURIER_ACCOUNTS)
