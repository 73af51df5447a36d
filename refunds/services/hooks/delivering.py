"""Sending webhooks: the only writer of a delivery's call. Its row is its own lock; no order's is ever taken.

T1 (`begin_hooks`) claims and commits before anything leaves; T2 (`record_hooks`) stores the answer. What has an unknown
outcome is sent again under the same identity. An address is told of a refund in order: a later event waits for an
earlier one that is neither delivered nor dead. A constant number of statements each, however many webhooks.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import transaction

from orders.locks import LockNotHad
from refunds import calls, records
from refunds.calls import CallPhase
from refunds.hooks import EventFacts, body, identity, wait_after
from refunds.models import WebhookDelivery, WebhookEndpoint
from refunds.selectors.hook_facts import hook_facts
from refunds.services.manifest_wakes import wake_channels
from refunds.services.own_locks import lock_own
from refunds.services.rows import CALL_COLUMNS, TIMING, call_of, put_call
from refunds.services.wakes import INSURANCE, wake_webhooks
from refunds.states import HookState
from workers.ports import GONE, Delivered, Delivery, NotSent, OutgoingHook, Refused, Unknown

DISABLED = "endpoint_disabled: the shop has answered 410 Gone; it is called again when its manifest has changed"
REMOVED = "endpoint_removed: its manifest does not name this address any more"
WRITTEN = (*CALL_COLUMNS, "state", "next_reconcile_at", "ended_at")
_BLOCKED = """
SELECT later.id, min(earlier.next_reconcile_at)
FROM refunds_webhookdelivery AS later JOIN refunds_webhookdelivery AS earlier
    ON earlier.endpoint_id = later.endpoint_id AND earlier.refund_id = later.refund_id AND earlier.seq < later.seq
WHERE later.id = ANY(%b::bigint[]) AND earlier.state = 'pending'
GROUP BY later.id
"""
#: Who is locked is being looked at anyway.
_RELEASE = """
UPDATE refunds_webhookdelivery SET next_reconcile_at = refundry_now()
WHERE id IN (
    SELECT following.id FROM unnest(%b::bigint[], %b::bigint[]) AS ended(endpoint_id, refund_id) CROSS JOIN LATERAL (
        SELECT id FROM refunds_webhookdelivery AS later
        WHERE later.endpoint_id = ended.endpoint_id AND later.refund_id = ended.refund_id AND later.state = 'pending'
        ORDER BY seq LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
    ) AS following
)
RETURNING id
"""
_DISABLE = """
UPDATE refunds_webhookendpoint AS endpoint SET disabled_at = refundry_now()
FROM unnest(%b::bigint[], %b::integer[]) AS gone(id, generation), orders_channel AS channel
WHERE endpoint.id = gone.id AND endpoint.generation = gone.generation AND endpoint.disabled_at IS NULL
    AND channel.id = endpoint.channel_id
RETURNING channel.slug
"""
_POSTPONE = """
UPDATE refunds_webhookdelivery SET next_reconcile_at = refundry_now() + %s, last_error = %s
WHERE id = %s AND state = 'pending'
"""


@dataclass(frozen=True, slots=True)
class HookClaim:
    """A webhook that is ours to send. `generation`: of the manifest that it goes by."""

    delivery_id: int
    endpoint_id: int
    generation: int
    attempt: int
    url: str
    secret: str
    facts: EventFacts

    @property
    def slot(self) -> str:
        return slot_of(self.endpoint_id)

    def hook(self) -> OutgoingHook:
        facts = self.facts
        return OutgoingHook(self.url, facts.channel, self.secret, identity(facts.refund, facts.sequence), body(facts))


@dataclass(slots=True)
class BegunHooks:
    """Where each id stands. `later`: seconds until it is to be looked at; `full`: the slot that has no room."""

    claims: list[HookClaim] = field(default_factory=list)
    ended: set[int] = field(default_factory=set)
    later: dict[int, float] = field(default_factory=dict)
    full: dict[int, str] = field(default_factory=dict)
    skipped: set[int] = field(default_factory=set)


@dataclass(slots=True)
class _Pass:
    """What one T1 goes by, and the rows it has changed."""

    now: datetime
    endpoints: Mapping[int, WebhookEndpoint]
    blocked: Mapping[int, datetime]
    begun: BegunHooks
    changed: list[WebhookDelivery] = field(default_factory=list)


def slot_of(endpoint_id: int) -> str:
    """Each address has a window of its own: a slow shop keeps no other waiting."""
    return f"webhook:{endpoint_id}"


def begin_hooks(ids: Collection[int], *, has_room: Callable[[str], bool], wait_ms: int | None = None) -> BegunHooks:
    """T1: claim what is due and at its turn, as far as there is room. `wait_ms` None: skip what is locked."""
    try:
        with transaction.atomic():
            return _begin(ids, has_room, wait_ms)
    except LockNotHad:
        return BegunHooks(skipped=set(ids))


def record_hooks(
    answers: Sequence[tuple[HookClaim, Delivery]], *, wait_ms: int | None = None
) -> dict[int, float | None]:
    """T2: seconds until the next look by id, None where there is none or no row. What is left out was locked."""
    try:
        with transaction.atomic():
            return _record(answers, wait_ms)
    except LockNotHad:
        return {}


def postpone_hook(delivery_id: int, *, seconds: float, reason: str) -> None:
    """A sync of it raised: look again later, in a statement of its own."""
    records.execute(_POSTPONE, [timedelta(seconds=seconds), reason[:200], delivery_id])


def _begin(ids: Collection[int], has_room: Callable[[str], bool], wait_ms: int | None) -> BegunHooks:
    own = lock_own(WebhookDelivery, ids, wait_ms=wait_ms)
    begun = BegunHooks(ended=set(own.gone), skipped=set(own.held))
    mine = list(own.rows.values())
    endpoints = {e.id: e for e in records.load(WebhookEndpoint, "id", {row.endpoint_id for row in mine})}
    blocked = dict(records.execute(_BLOCKED, [[row.id for row in mine]]).fetchall())
    on = _Pass(own.now, endpoints, blocked, begun)
    due = [row for row in mine if _is_due(row, on) and _finds_room(row, begun, has_room)]
    facts = hook_facts([row.event_id for row in due])
    for row in due:
        begun.claims.append(_claim(row, endpoints[row.endpoint_id], facts[row.event_id], own.now))
    records.update(WebhookDelivery, WRITTEN, [*on.changed, *due])
    return begun


def _is_due(row: WebhookDelivery, on: _Pass) -> bool:
    """Says of those that are not where they stand. What is not due keeps the clock of its call, whoever moved it."""
    call, begun = call_of(row), on.begun
    if row.state != HookState.PENDING:
        begun.ended.add(row.id)
    elif calls.is_out(call, on.now):
        _look_at(row, call.answer_due_at or on.now, on)
    elif reason := _closed(on.endpoints[row.endpoint_id]):
        _give_up(row, reason, on.now)
        on.changed.append(row)
        begun.ended.add(row.id)
    elif row.id in on.blocked:
        _look_at(row, max(on.blocked[row.id], on.now + INSURANCE), on)
    elif not calls.is_due(call, on.now):
        _look_at(row, call.retry_at or on.now, on)
    else:
        return True
    return False


def _look_at(row: WebhookDelivery, at: datetime, on: _Pass) -> None:
    row.next_reconcile_at = at
    on.changed.append(row)
    on.begun.later[row.id] = _seconds(at, on.now)


def _closed(endpoint: WebhookEndpoint) -> str:
    if endpoint.removed_at:
        return REMOVED
    return DISABLED if endpoint.disabled_at else ""


def _finds_room(row: WebhookDelivery, begun: BegunHooks, has_room: Callable[[str], bool]) -> bool:
    slot = slot_of(row.endpoint_id)
    if has_room(slot):
        return True
    begun.full[row.id] = slot
    return False


def _claim(row: WebhookDelivery, endpoint: WebhookEndpoint, facts: EventFacts, now: datetime) -> HookClaim:
    call = calls.claim(call_of(row), "webhook", now=now, timing=TIMING)
    put_call(row, call)
    row.next_reconcile_at = call.answer_due_at
    return HookClaim(row.id, endpoint.id, endpoint.generation, call.attempt, endpoint.url, endpoint.secret, facts)


def _record(answers: Sequence[tuple[HookClaim, Delivery]], wait_ms: int | None) -> dict[int, float | None]:
    ids = {claim.delivery_id for claim, _ in answers}
    own = lock_own(WebhookDelivery, ids, wait_ms=wait_ms)
    heard = [(own.rows[c.delivery_id], c, reply) for c, reply in answers if c.delivery_id in own.rows]
    changed = {row.id: row for row, claim, reply in heard if _hear(row, claim, reply, own.now)}
    records.update(WebhookDelivery, WRITTEN, changed.values())
    _disable([claim for _, claim, reply in heard if _is_gone(reply)])
    _release([row for row in changed.values() if row.state != HookState.PENDING])
    looks: dict[int, float | None] = dict.fromkeys(own.gone)
    return looks | {
        i: _seconds(row.next_reconcile_at, own.now) if row.next_reconcile_at else None for i, row in own.rows.items()
    }


def _hear(row: WebhookDelivery, claim: HookClaim, reply: Delivery, now: datetime) -> bool:
    """Apply one answer. Good news always counts; the rest only from the attempt that is still open."""
    if row.state == HookState.DELIVERED:
        return False
    if isinstance(reply, Delivered):
        row.deliver()
        put_call(row, calls.answered(call_of(row)))
        row.next_reconcile_at, row.ended_at = None, now
        return True
    if row.state != HookState.PENDING or not calls.speaks_of(call_of(row), claim.attempt):
        return False
    _fail(row, claim, reply, now)
    return True


def _fail(row: WebhookDelivery, claim: HookClaim, reply: Refused | Unknown | NotSent, now: datetime) -> None:
    failures, reason = row.failures + 1, _reason(reply)
    asked_for = 0.0 if isinstance(reply, NotSent) else reply.retry_after
    seconds = None if _is_gone(reply) else wait_after(failures, retry_after=asked_for)
    phase = CallPhase.UNKNOWN if isinstance(reply, Unknown) else CallPhase.IDLE
    retry_at = None if seconds is None else now + timedelta(seconds=seconds)
    put_call(row, call_of(row)._replace(call=phase, failures=failures, retry_at=retry_at, last_error=reason))
    row.next_reconcile_at = retry_at
    if retry_at is None:
        _give_up(row, reason, now)


def _give_up(row: WebhookDelivery, reason: str, now: datetime) -> None:
    row.give_up()
    put_call(row, call_of(row)._replace(call=CallPhase.IDLE, retry_at=None, last_error=reason[:200]))
    row.next_reconcile_at, row.ended_at = None, now


def _reason(reply: Refused | Unknown | NotSent) -> str:
    text = ": ".join(filter(None, (reply.code, reply.message))) if isinstance(reply, Refused) else reply.reason
    return text.replace("\0", "")[:200]


def _is_gone(reply: Delivery) -> bool:
    return isinstance(reply, Refused) and reply.code == GONE


def _disable(gone: Sequence[HookClaim]) -> None:
    """A manifest that has come since asks for more: the answer was to the one before."""
    if gone:
        closed = records.execute(_DISABLE, [[c.endpoint_id for c in gone], [c.generation for c in gone]]).fetchall()
        wake_channels({slug for (slug,) in closed})


def _release(ended: Sequence[WebhookDelivery]) -> None:
    """Whoever waited for one of these is at its turn."""
    if ended:
        pairs = [[row.endpoint_id for row in ended], [row.refund_id for row in ended]]
        wake_webhooks([row[0] for row in records.execute(_RELEASE, pairs).fetchall()])


def _seconds(at: datetime | None, now: datetime) -> float:
    return max(0.0, (at - now).total_seconds()) if at else 0.0
