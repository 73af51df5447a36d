"""Storing what couriers tell us: once by event id. What is about a refund is the engine's to apply; a parcel on its way
out that no refund is about is brought up to date here, under its order's lock. What is about a waybill that nobody here
knows yet waits until somebody does."""

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.db import DataError, connection, transaction

from orders import clock
from orders.errors import Conflict, Invalid
from orders.locks import WEB_WAIT_MS, lock_orders
from orders.models import Shipment
from orders.roles import SYSTEM
from orders.services.carrier import CarrierFact, report_fact
from refunds import records
from refunds.fetching import heard, pickup_state
from refunds.models import Pickup, Refund
from refunds.parcels import COMING
from refunds.services.docket import Docket
from refunds.services.orphan_reports import note_pickups
from refunds.services.parcel_facts import ONLY_OUTWARD, OUTWARD, take_homeward
from refunds.services.wakes import order_changed
from refunds.states import FINAL_STATES, PickupState
from workers.ports import CourierEvent, ParcelFact, ParcelStatus
from workers.wake import wake

#: Words of one delivery are stored, and so applied, in the order in which they are told.
#: A pickup is known by our number; by its waybill when this courier has it, or when the customer posted it himself. He
#: may send back the goods of several refunds in it: each open one gets the word, under a name made of the event's. A
#: parcel on its way out is known by its tracking number, and is an open refund's where units of that are in it.
_STORE = """
WITH given AS (
    SELECT DISTINCT ON (event_id) event_id, kind, number, waybill, payload, is_homeward, turn
    FROM ROWS FROM (
        jsonb_to_recordset(%(events)s::jsonb)
            AS (event_id text, kind text, number text, waybill text, payload jsonb, is_homeward boolean)
    ) WITH ORDINALITY AS e(event_id, kind, number, waybill, payload, is_homeward, turn)
    ORDER BY event_id, turn
), candidates AS (
    SELECT given.event_id, pickup.refund_id, 1 AS rank, pickup.id
    FROM given JOIN refunds_pickup pickup ON pickup.number = given.number AND pickup.account = %(account)s
    WHERE is_homeward
    UNION ALL
    SELECT given.event_id, pickup.refund_id, CASE pickup.account WHEN '' THEN 3 ELSE 2 END, pickup.id
    FROM given JOIN refunds_pickup pickup ON pickup.waybill = given.waybill AND pickup.waybill <> ''
    WHERE is_homeward AND pickup.account IN (%(account)s, '')
    UNION ALL
    SELECT given.event_id, refund.id, 4, refund.id
    FROM given
    JOIN orders_shipment parcel ON parcel.tracking_number = given.waybill AND parcel.tracking_number <> ''
    JOIN refunds_refund refund ON refund.order_id = parcel.order_id AND NOT refund.state = ANY(%(final)s)
    JOIN refunds_refundline units ON units.refund_id = refund.id AND units.shipment_id = parcel.id
), reached AS (
    SELECT DISTINCT ON (event_id, refund_id) event_id, refund_id, rank, id
    FROM candidates ORDER BY event_id, refund_id, rank, id DESC
), placed AS (
    SELECT event_id, refund_id, rank, NOT state = ANY(%(final)s) AS is_open,
        min(rank) OVER (PARTITION BY event_id) AS best,
        row_number() OVER (PARTITION BY event_id ORDER BY rank, reached.id DESC) AS place,
        row_number() OVER (PARTITION BY event_id, rank ORDER BY reached.id DESC) AS place_in_rank
    FROM reached JOIN refunds_refund refund ON refund.id = refund_id
), known AS (
    SELECT event_id, refund_id, CASE place WHEN 1 THEN event_id ELSE md5(event_id) || ':' || refund_id END AS name
    FROM placed
    WHERE place = 1 OR (rank = 3 AND is_open) OR (rank = 4 AND best = 3 AND place_in_rank = 1)
), stored AS (
    INSERT INTO refunds_inboundwebhook (account, event_id, kind, payload, refund_id, received_at, applied_at)
    SELECT %(account)s, coalesce(name, event_id), kind, payload, refund_id, refundry_now(),
           CASE WHEN refund_id IS NULL AND EXISTS (
               SELECT FROM orders_shipment parcel WHERE parcel.tracking_number = given.waybill AND given.waybill <> ''
           ) THEN refundry_now() END
    FROM given LEFT JOIN known USING (event_id)
    ORDER BY turn
    ON CONFLICT (account, event_id) DO NOTHING
    RETURNING event_id, refund_id
)
SELECT event_id, refund_id FROM stored
UNION
SELECT event_id, webhook.refund_id FROM refunds_inboundwebhook webhook JOIN given USING (event_id)
WHERE webhook.account = %(account)s AND webhook.applied_at IS NULL AND webhook.refund_id IS NOT NULL
"""
#: A courier may tell of a parcel before we know that it is ours: before the answer to the booking is written down, or
#: before the customer says what he posted. Numbers are used again, but not within a month.
_ADOPT = """
WITH adopted AS (
    UPDATE refunds_inboundwebhook webhook SET refund_id = pickup.refund_id
    FROM unnest(%b::bigint[], %b::text[], %b::text[], %b::timestamptz[])
        AS pickup(refund_id, account, waybill, created_at)
    WHERE webhook.payload->>'waybill' = pickup.waybill AND pickup.account IN (webhook.account, '')
        AND webhook.kind = 'parcel.updated' AND webhook.refund_id IS NULL AND webhook.applied_at IS NULL
        AND webhook.received_at > pickup.created_at - interval '30 days'
    RETURNING webhook.*
)
INSERT INTO refunds_inboundwebhook (account, event_id, kind, payload, refund_id, received_at)
SELECT adopted.account, md5(event_id) || ':' || refund.id, kind, payload, refund.id, adopted.received_at
FROM adopted
JOIN refunds_pickup pickup ON pickup.waybill = payload->>'waybill' AND pickup.account = ''
JOIN refunds_refund refund ON refund.id = pickup.refund_id AND refund.id <> adopted.refund_id
WHERE NOT refund.state = ANY(%b::text[])
ON CONFLICT (account, event_id) DO NOTHING
"""
#: What was said of a parcel to those who named it before, and has not reached them yet.
_SHARE = """
INSERT INTO refunds_inboundwebhook (account, event_id, kind, payload, refund_id, received_at)
SELECT webhook.account, md5(event_id) || ':' || %s, kind, payload, %s, received_at
FROM refunds_pickup pickup
JOIN refunds_inboundwebhook webhook ON webhook.refund_id = pickup.refund_id AND payload->>'waybill' = pickup.waybill
WHERE pickup.waybill = %s AND pickup.account = '' AND pickup.refund_id <> %s AND applied_at IS NULL
ON CONFLICT (account, event_id) DO NOTHING
"""
_USED_AGAIN_AFTER = timedelta(days=30)
_LONGEST_EVENT_ID = 200


@transaction.atomic
def store_parcel_events(account: str, events: Sequence[CourierEvent]) -> None:
    """Store the events nobody stored yet. Refunds they are about are woken, also by copies that nobody applied yet.

    Raises Invalid for what the database cannot hold, and LockNotHad when an order is busy: nothing is stored then.
    """
    if not events:
        return
    rows = [_row(event) for event in events]
    try:
        found = _stored(account, rows)
    except DataError as error:
        raise Invalid("webhook_unstorable", "An event holds a character that no text has.") from error
    if keys := sorted({str(refund_id) for refund_id in found.values() if refund_id}):
        transaction.on_commit(partial(wake, "refunds", keys), robust=True)
    unknown = [event for event in events if found.get(event.event_id, 0) is None]
    note_pickups(account, [event.fact for event in unknown if _is_lost_visit(event.fact)])
    _apply_outward(unknown)


def adopt_early_words(docket: Docket, known: Collection[str] = ()) -> set[str]:
    """Give the docket's refunds what was said of their parcels before anybody knew the waybill or tracking number.
    Those looked for now; the ones `known` have been."""
    found = [row for row in _parcels(docket) if row[2] and row[2] not in known]
    if found:
        records.execute(_ADOPT, [*map(list, zip(*found, strict=True)), _final()])
    return {waybill for _, _, waybill, _ in found}


def _parcels(docket: Docket) -> Iterator[tuple[int, str, str, datetime]]:
    """By refund, account, waybill and age: pickups, and the parcels on their way out, of which any courier may tell."""
    for refund_id, pickups in docket.pickups.items():
        yield from ((refund_id, p.account, p.waybill, p.created_at) for p in pickups)
        yield from (
            (refund_id, "", s.tracking_number, s.created_at) for s in docket.parcels_of(docket.refunds[refund_id])
        )


def hear_what_others_heard(docket: Docket, refund: Refund, posted: Pickup) -> None:
    """The goods of several refunds may be in one parcel: what was said of it, since another one named it, counts for
    one that names it later. What is on its way to others is read before what has reached them, to miss nothing."""
    records.execute(_SHARE, [refund.id, refund.id, posted.waybill, refund.id])
    others = Pickup.objects.filter(waybill=posted.waybill, account="", fact_at__isnull=False)
    others = others.filter(created_at__gt=docket.now - _USED_AGAIN_AFTER).exclude(refund_id=refund.id)
    known = others.order_by("-fact_at").first()
    if known and known.fact_at and (known.collected_at or known.state != PickupState.IN_TRANSIT):
        fact = ParcelFact("", posted.waybill, ParcelStatus(known.state), known.fact_at, None)
        take_homeward(docket, refund, posted, fact)


def _is_lost_visit(fact: ParcelFact) -> bool:
    """A courier comes, or came, under a number of ours that nothing here has."""
    return fact.number.startswith(f"{settings.NUMBER_PREFIX}-") and pickup_state(fact.status) in COMING


def _stored(account: str, rows: list[dict[str, Any]]) -> dict[str, int | None]:
    """By the name it is stored under the refund of each event that is new, or that nobody has applied."""
    given: dict[str, Any] = {"account": account, "events": json.dumps(rows), "final": _final()}
    with connection.cursor() as cursor:
        cursor.execute(_STORE, given)
        return dict(cursor.fetchall())


def _final() -> list[str]:
    return sorted(map(str, FINAL_STATES))


def _apply_outward(events: Sequence[CourierEvent]) -> None:
    """A word that cannot follow what is known of the parcel changes nothing."""
    facts = sorted((e.fact for e in events if e.fact.status in OUTWARD), key=lambda fact: fact.occurred_at)
    parcels = Shipment.objects.select_related("order").filter(tracking_number__in={fact.waybill for fact in facts})
    if not facts or not parcels:
        return
    lock_orders({parcel.order_id for parcel in parcels}, wait_ms=WEB_WAIT_MS)
    now, changed = clock.now(), set()
    for fact in facts:
        for parcel in parcels:
            if parcel.tracking_number == fact.waybill and _tell(parcel, fact, now):
                changed.add(parcel.order_id)
    if changed:
        order_changed(changed)


def _tell(parcel: Shipment, fact: ParcelFact, now: datetime) -> bool:
    order, fact = parcel.order, heard(fact, now)
    said = CarrierFact(order.number, parcel.id, OUTWARD[fact.status], fact.occurred_at)
    try:
        return report_fact(said, channel_id=order.channel_id, actor=SYSTEM).applied
    except Conflict:
        return False


def _row(event: CourierEvent) -> dict[str, Any]:
    if len(event.event_id) > _LONGEST_EVENT_ID:
        raise Invalid("webhook_unstorable", "The event's id is too long.")
    fact = event.fact
    payload = asdict(fact) | {
        "occurred_at": fact.occurred_at.isoformat(),
        "slot": {name: at.isoformat() for name, at in asdict(fact.slot).items()} if fact.slot else None,
    }
    return {
        "event_id": event.event_id,
        "kind": event.kind,
        "number": fact.number,
        "waybill": fact.waybill,
        "payload": payload,
        "is_homeward": fact.status not in ONLY_OUTWARD,
    }
