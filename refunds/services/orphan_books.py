"""The money of refunds that somebody else made at the gateway: facts of the payment, booked once and in full.

Under way it is reserved, gone it is external, and what comes back is taken back by a counter-entry. Each kind is
booked at most once for each share, whatever is told and however often. What the payment does not have is excess.
"""

from collections.abc import Iterator, Sequence

from orders.models import PaymentShare
from orders.roles import SYSTEM
from refunds.models import Incident, Orphan
from refunds.models.orphan import OrphanState
from refunds.orphans import MOVING, entries_due
from refunds.selectors.orphans import Booked
from refunds.services.docket import Docket
from workers.ports import NO_CURRENCY, GatewayStatus

CASE = "orphaned_refund"


def settle_orphan(docket: Docket, orphan: Orphan, shares: Sequence[PaymentShare], booked: Booked) -> bool:
    """Bring the shares' ledger to what is told of the orphan; `booked` is what it holds. True if anything changed.

    The first money of it opens a case for a person, which ends with the money; so does money that cannot be counted,
    because it is in another currency than the payment, or in none.
    """
    status, before = GatewayStatus(orphan.status), len(booked)
    is_countable = docket.payments[shares[0].payment_id].currency == orphan.currency
    if is_countable:
        for share, amount_minor in parts_of(docket, orphan.amount_minor, shares, booked):
            _book(docket, orphan, share, amount_minor, booked)
    is_news = booked and not before
    if is_news or (not is_countable and orphan.state == OrphanState.OPEN and status in MOVING):
        docket.open_case(shares[0].order_id, CASE, facts_of(orphan))
    if status not in MOVING:
        _end_case(docket, orphan)
    return len(booked) > before


def _book(docket: Docket, orphan: Orphan, share: PaymentShare, amount_minor: int, booked: Booked) -> None:
    has = {kind for share_id, kind in booked if share_id == share.id}
    for kind in list(entries_due(GatewayStatus(orphan.status), has, gone="external")):
        docket.book(docket.entry(share, kind, amount_minor, movement_id=None, reference=orphan.reference))
        booked[share.id, kind] = amount_minor


def parts_of(
    docket: Docket, amount_minor: int, shares: Sequence[PaymentShare], booked: Booked
) -> Iterator[tuple[PaymentShare, int]]:
    """As it was split before; else from the shares in order of age, as `Docket.spread_fact` says."""
    if not booked:
        yield from docket.spread_fact(amount_minor, shares)
        return
    amounts = {share_id: amount for (share_id, _), amount in booked.items()}
    yield from ((share, amounts[share.id]) for share in shares if share.id in amounts)


def _end_case(docket: Docket, orphan: Orphan) -> None:
    """Its money has not gone, or has come back."""
    of_it = Incident.objects.filter(kind=CASE, closed_at=None, data__gateway_refund_id=orphan.reference)
    for incident in of_it.filter(data__account=orphan.account):
        docket.end_incident(incident, actor=SYSTEM, note=f"It is {orphan.status} at the gateway.")


def facts_of(orphan: Orphan) -> dict[str, object]:
    """What a person needs to find it at the gateway."""
    return {
        "account": orphan.account,
        "gateway_refund_id": orphan.reference,
        "payment": orphan.payment_reference,
        "number": orphan.number,
        "amount_minor": None if orphan.currency == NO_CURRENCY else orphan.amount_minor,
        "currency": orphan.currency,
    }
