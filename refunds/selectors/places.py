"""Which units of an order are still free to be refunded, and where each of them is."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from django.db.models import Sum

from orders.models import OrderLine, ShipmentLine
from orders.states import Fulfilment, ShipmentState
from refunds.models import RefundLine
from refunds.records import execute
from refunds.routing import Reading, Sent, UnitsAt
from refunds.states import RELEASED_STATES, Place

_FIND = """
SELECT o.id, o.channel_id, o.number FROM orders_order o
JOIN unnest(%b::bigint[], %b::text[]) AS x(channel_id, number) ON o.channel_id = x.channel_id AND o.number = x.number
"""


def find_orders(names: Collection[tuple[int, str]]) -> dict[tuple[int, str], int]:
    """The ids of the orders of these (channel id, number); unknown ones are missing."""
    wanted = sorted(set(names))
    rows = execute(_FIND, [[channel for channel, _ in wanted], [number for _, number in wanted]]).fetchall()
    return {(channel, number): order_id for order_id, channel, number in rows}


def free_units(lines: Iterable[OrderLine], readings: Mapping[int, Reading]) -> dict[int, list[UnitsAt]]:
    """Per order: the units no live or paid refund has, by line and place, as its policy reads where parcels are. Two
    more queries if anything has shipped."""
    lines = list(lines)
    parcels = _free_in_parcels({line.id: readings[line.order_id] for line in lines if line.shipped})
    free: dict[int, list[UnitsAt]] = defaultdict(list)
    for line in lines:
        unshipped = line.quantity - line.shipped - line.withheld
        places = [(None, Place.UNSHIPPED, unshipped), *parcels.get(line.id, ())]
        here = [UnitsAt(line.line_id, place, n, parcel, Fulfilment(line.fulfilment)) for parcel, place, n in places]
        free[line.order_id] += _at_most(line.quantity - line.held - line.refunded, here)
    return free


def _free_in_parcels(by_line: Mapping[int, Reading]) -> dict[int, list[tuple[int, Place, int]]]:
    line_ids = list(by_line)
    if not line_ids:
        return {}
    taken = {
        (line_id, shipment_id): quantity
        for line_id, shipment_id, quantity in RefundLine.objects.filter(
            order_line_id__in=line_ids, shipment__isnull=False
        )
        .exclude(refund__state__in=RELEASED_STATES)
        .values_list("order_line_id", "shipment_id")
        .annotate(quantity=Sum("quantity"))
    }
    free: dict[int, list[tuple[int, Place, int]]] = defaultdict(list)
    shipped = ShipmentLine.objects.filter(order_line_id__in=line_ids).order_by("shipment_id")
    columns = (f"shipment__{name}" for name in ("state", "shipped_at", "sent_at", "delivery_known_at"))
    for line_id, shipment_id, quantity, state, *times in shipped.values_list(
        "order_line_id", "shipment_id", "quantity", *columns
    ):
        left = quantity - taken.get((line_id, shipment_id), 0)
        place = by_line[line_id].place_of(Sent(ShipmentState(state), *times))
        free[line_id].append((shipment_id, place, left))
    return free


def _at_most(limit: int, units: list[UnitsAt]) -> list[UnitsAt]:
    """A parcel that left with held units has some that its own count does not show: never offer them twice."""
    kept = []
    for u in units:
        n = max(0, min(u.quantity, limit))
        limit -= n
        if n:
            kept.append(UnitsAt(u.line_id, u.place, n, u.shipment_id, u.fulfilment))
    return kept
