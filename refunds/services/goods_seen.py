"""Where the goods of a refund are, as its rows say: what the rules see of them."""

from orders.models import Shipment
from refunds.calls import CallPhase
from refunds.goods import GoodsSeen
from refunds.incidents import DOUBTS
from refunds.models import Pickup, Refund
from refunds.parcels import COMING, ParcelView
from refunds.services.answers import Abilities
from refunds.services.couriers import account_of
from refunds.services.docket import Docket
from refunds.services.inspection import is_noted
from refunds.services.parcel_calls import number_of
from refunds.services.places import units_of
from refunds.services.rows import parcel_view, pickup_view, policy_of, reader
from refunds.states import Goods

_goods = reader(Goods)


def goods_of(docket: Docket, refund: Refund, can: Abilities) -> GoodsSeen:
    return GoodsSeen(
        wanted=_goods(refund.goods),
        units=units_of(docket, refund),
        pickups=tuple(pickup_view(p, can(p.account)) for p in docket.pickups[refund.id] if _takes_part(p, refund)),
        parcels=tuple(_parcel(docket, refund, row, can) for row in docket.parcels_of(refund)),
        received=refund.received_at is not None,
        doubted=bool(docket.incidents[refund.id].keys() & DOUBTS),
        noted=is_noted(docket, refund),
    )


def _parcel(docket: Docket, refund: Refund, row: Shipment, can: Abilities) -> ParcelView:
    reading = policy_of(refund.policy_version_id).reading(docket.now)
    return parcel_view(row, can(account_of(docket, refund, row)), number=number_of(row), reading=reading)


def _takes_part(pickup: Pickup, refund: Refund) -> bool:
    """Those since the last approval, and any by which a courier may still come."""
    since = refund.approved_at or refund.created_at
    return pickup.created_at >= since or pickup.call != CallPhase.IDLE or pickup.state in COMING
