"""What an orphan has to do with us, and what of it stands in our ledger."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from refunds.models import LedgerEntry
from refunds.records import execute

#: Amounts by (share, kind) of one refund at a gateway that is no movement of ours.
Booked = dict[tuple[int, str], int]

#: A number of ours on another payment of ours is not our movement's.
_TIES = """
SELECT orphan.id, payment.id, movement.id, movement.refund_id, owner.order_id, (
    SELECT array_agg(share.order_id ORDER BY share.id) FROM orders_paymentshare share
    WHERE share.payment_id = payment.id
)
FROM refunds_orphan orphan
LEFT JOIN orders_payment payment
    ON payment.account = orphan.account AND payment.reference = orphan.payment_reference
LEFT JOIN (
    refunds_gatewayrefund movement
    JOIN orders_paymentshare part ON part.id = movement.share_id
    JOIN orders_payment paid ON paid.id = part.payment_id
    JOIN refunds_refund owner ON owner.id = movement.refund_id
) ON movement.number = orphan.number AND coalesce(nullif(movement.target, ''), paid.account) = orphan.account
    AND paid.id = coalesce(payment.id, paid.id)
WHERE orphan.id = ANY(%b::bigint[])
"""
_KNOWN_PICKUPS = """
SELECT orphan.id FROM refunds_orphan orphan JOIN refunds_pickup pickup
    ON pickup.number = orphan.number OR (pickup.waybill = orphan.reference AND pickup.account = orphan.account)
WHERE orphan.id = ANY(%b::bigint[])
"""


@dataclass(frozen=True, slots=True)
class Ties:
    """Its payment here, if there is one, our movement under its number, that one's refund, and all orders it is
    about."""

    payment_id: int | None = None
    movement_id: int | None = None
    refund_id: int | None = None
    order_ids: frozenset[int] = field(default_factory=frozenset)


def ties_of(orphan_ids: Collection[int]) -> dict[int, Ties]:
    """By orphan; unknown ones are missing."""
    rows = execute(_TIES, [list(orphan_ids)]).fetchall()
    return {row[0]: _ties(*row[1:]) for row in rows}


def known_pickups(orphan_ids: Collection[int]) -> set[int]:
    """Those that a refund of ours knows by now."""
    return {row[0] for row in execute(_KNOWN_PICKUPS, [list(orphan_ids)]).fetchall()}


def booked_outside(share_ids: Collection[int], references: Iterable[str]) -> dict[str, Booked]:
    """What stands in the ledger of these shares about refunds that are no movement of ours, by their ids."""
    found = LedgerEntry.objects.filter(share__in=share_ids, gateway_refund=None, reference__in=list(references))
    booked: dict[str, Booked] = {}
    for entry in found:
        booked.setdefault(entry.reference, {})[entry.share_id, entry.kind] = entry.amount_minor
    return booked


def _ties(
    payment_id: int | None,
    movement_id: int | None,
    refund_id: int | None,
    order_id: int | None,
    sharing: list[int] | None,
) -> Ties:
    orders = frozenset(sharing or ()) | ({order_id} if order_id else set())
    return Ties(payment_id, movement_id, refund_id, frozenset(orders))
