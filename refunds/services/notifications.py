"""Telling: the only writer of a notification's call. Its row is its own lock; the order's is never taken.

T1 (`begin_notifications`) claims and commits before anything leaves; T2 (`record_deliveries`) stores the answer. A
message of unknown outcome is sent again under the same identity: at least once, one identity. Each takes
a constant number of statements, however many messages.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import transaction

from orders.locks import LockNotHad
from refunds import calls, records
from refunds.calls import CallPhase, CallState
from refunds.messages.facts import MessageFacts
from refunds.models import Incident, Notification, Refund
from refunds.selectors.link_facts import link_facts
from refunds.selectors.message_facts import message_facts
from refunds.services.own_locks import lock_own
from refunds.services.rows import CALL_COLUMNS, TIMING, call_of, put_call
from refunds.states import NotificationState
from workers.ports import Delivered, Delivery, NotSent, Refused, Unknown

#: Why a message is given up unsent; no person can mend it on this refund, so it opens no incident.
NO_RECIPIENT = "no_recipient"
NO_PROVIDER = "no_provider"
#: A message is given up when it is this old, yet never before it was tried so often: down time of ours is no trial.
GIVE_UP_AFTER = timedelta(hours=24)
LEAST_TRIALS = 5
_INCIDENT_DUE = timedelta(hours=24)
_INCIDENT = ("kind", "order_id", "refund_id", "data", "opened_at", "due_at", "closed_by", "note")
_INCIDENT_OPEN_ONCE = " ON CONFLICT (refund_id, kind) WHERE closed_at IS NULL DO NOTHING"
_WRITTEN = (
    *CALL_COLUMNS,
    "state",
    "provider_id",
    "language",
    "recipient",
    "next_reconcile_at",
    "sent_to_provider_at",
)
_POSTPONE = """
UPDATE refunds_notification SET next_reconcile_at = refundry_now() + %s, last_error = %s
WHERE id = %s AND state = 'pending'
"""


@dataclass(frozen=True, slots=True)
class Claim:
    """A message that is ours to send. `before` is what its call was, should nothing leave this machine."""

    notification_id: int
    attempt: int
    before: CallState
    facts: MessageFacts


@dataclass(frozen=True, slots=True)
class Providers:
    """The channels that have a provider, and whether one of them has room for one more call now."""

    channels: Collection[str]
    has_room: Callable[[str], bool]


@dataclass(slots=True)
class BegunNotifications:
    """Where each id stands. `later`: seconds until it is to be looked at; `full`: the channel that has no room."""

    claims: list[Claim] = field(default_factory=list)
    ended: set[int] = field(default_factory=set)
    later: dict[int, float] = field(default_factory=dict)
    full: dict[int, str] = field(default_factory=dict)
    skipped: set[int] = field(default_factory=set)


@dataclass(slots=True)
class _Heard:
    """What the answers of one group changed, and the kind of incident each message given up opens."""

    now: datetime
    changed: dict[int, Notification] = field(default_factory=dict)
    given_up: dict[int, str] = field(default_factory=dict)


def begin_notifications(
    ids: Collection[int], *, providers: Providers, wait_ms: int | None = None
) -> BegunNotifications:
    """T1: claim what is due, as far as there is room on its channel. `wait_ms` None: skip what is locked."""
    try:
        with transaction.atomic():
            return _begin(ids, providers, wait_ms)
    except LockNotHad:
        return BegunNotifications(skipped=set(ids))


def record_deliveries(
    answers: Sequence[tuple[Claim, Delivery]], *, wait_ms: int | None = None
) -> dict[int, float | None]:
    """T2: seconds until the next look by id, None where there is none or no row. What is left out was locked."""
    try:
        with transaction.atomic():
            return _record(answers, wait_ms)
    except LockNotHad:
        return {}


def postpone_notification(notification_id: int, *, seconds: float, reason: str) -> None:
    """A sync of it raised: look again later, in a statement of its own."""
    records.execute(_POSTPONE, [timedelta(seconds=seconds), reason[:200], notification_id])


def _begin(ids: Collection[int], providers: Providers, wait_ms: int | None) -> BegunNotifications:
    own = lock_own(Notification, ids, wait_ms=wait_ms)
    begun = BegunNotifications(ended=set(own.gone), skipped=set(own.held))
    due = [row for row in own.rows.values() if _is_due(row, begun, own.now)]
    taken = [row for row in due if row.channel not in providers.channels or _finds_room(row, begun, providers)]
    facts = _facts(taken)
    for row in taken:
        if reason := _unreachable(row, facts[row.id], providers):
            _give_up(row, reason)
            begun.ended.add(row.id)
        else:
            begun.claims.append(_claim(row, facts[row.id], own.now))
    records.update(Notification, _WRITTEN, taken)
    return begun


def _facts(rows: Sequence[Notification]) -> dict[int, MessageFacts]:
    of_refunds = [row for row in rows if row.refund_id]
    of_orders = [row for row in rows if row.order_id]
    return (message_facts(of_refunds) if of_refunds else {}) | (link_facts(of_orders) if of_orders else {})


def _is_due(row: Notification, begun: BegunNotifications, now: datetime) -> bool:
    call = call_of(row)
    if row.state != NotificationState.PENDING:
        begun.ended.add(row.id)
    elif calls.is_out(call, now):
        begun.later[row.id] = _seconds(call.answer_due_at, now)
    elif not calls.is_due(call, now):
        begun.later[row.id] = _seconds(call.retry_at, now)
    else:
        return True
    return False


def _finds_room(row: Notification, begun: BegunNotifications, providers: Providers) -> bool:
    if providers.has_room(row.channel):
        return True
    begun.full[row.id] = row.channel
    return False


def _unreachable(row: Notification, facts: MessageFacts, providers: Providers) -> str:
    if row.channel not in providers.channels:
        return NO_PROVIDER
    return "" if facts.to else NO_RECIPIENT


def _claim(row: Notification, facts: MessageFacts, now: datetime) -> Claim:
    before = call_of(row)
    call = calls.claim(before, row.channel, now=now, timing=TIMING)
    put_call(row, call)
    row.recipient, row.language, row.next_reconcile_at = facts.to, facts.language, call.answer_due_at
    return Claim(row.id, call.attempt, before, facts)


def _record(answers: Sequence[tuple[Claim, Delivery]], wait_ms: int | None) -> dict[int, float | None]:
    ids = {claim.notification_id for claim, _ in answers}
    own = lock_own(Notification, ids, wait_ms=wait_ms)
    heard = _Heard(own.now)
    for claim, reply in answers:
        if row := own.rows.get(claim.notification_id):
            _hear(row, claim, reply, heard)
    records.update(Notification, _WRITTEN, heard.changed.values())
    _open_incidents(heard)
    looks: dict[int, float | None] = dict.fromkeys(own.gone)
    return looks | {
        i: _seconds(row.next_reconcile_at, own.now) if row.next_reconcile_at else None for i, row in own.rows.items()
    }


def _hear(row: Notification, claim: Claim, reply: Delivery, heard: _Heard) -> None:
    """Apply one answer. Good news always counts; the rest only from the attempt that is still open."""
    if row.state == NotificationState.SENT:
        return
    if isinstance(reply, Delivered):
        _deliver(row, reply, heard.now)
    elif row.state == NotificationState.PENDING and calls.speaks_of(call_of(row), claim.attempt):
        put_call(row, _after(call_of(row), claim.before, reply, heard.now))
        row.next_reconcile_at = row.retry_at
        if kind := _reason_to_give_up(row, reply, heard.now):
            _give_up(row, row.last_error)
            heard.given_up[row.id] = kind
    else:
        return
    heard.changed[row.id] = row


def _deliver(row: Notification, reply: Delivered, now: datetime) -> None:
    row.deliver()
    put_call(row, calls.answered(call_of(row)))
    row.provider_id, row.sent_to_provider_at, row.next_reconcile_at = reply.provider_id[:200], now, None


def _give_up(row: Notification, reason: str) -> None:
    row.give_up()
    put_call(row, call_of(row)._replace(call=CallPhase.IDLE, retry_at=None, last_error=reason))
    row.next_reconcile_at = None


def _after(call: CallState, before: CallState, reply: Refused | Unknown | NotSent, now: datetime) -> CallState:
    match reply:
        case Refused(code, message):
            return calls.refused(call, f"{code}: {message}", now=now, timing=TIMING)
        case NotSent(reason):
            return calls.not_sent(call, before, reason, now=now, timing=TIMING)
        case Unknown(reason):
            unknown = calls.unanswered(call, reason, now=now)
            # Nobody can be asked whether a message arrived, so it is sent again: not at once, and as the same one.
            return unknown._replace(retry_at=now + timedelta(seconds=calls.retry_delay(unknown.failures, TIMING)))


def _reason_to_give_up(row: Notification, reply: Delivery, now: datetime) -> str:
    """The kind of incident it opens; empty: try again."""
    if isinstance(reply, Refused) and not reply.retryable:
        return "message_refused"
    is_old = row.failures >= LEAST_TRIALS and now >= row.created_at + GIVE_UP_AFTER
    return "message_undelivered" if is_old else ""


def _open_incidents(heard: _Heard) -> None:
    """None of a new link: whoever gets none asks again, or asks the shop."""
    rows = [heard.changed[i] for i in heard.given_up]
    failed = [(row, row.refund_id) for row in rows if row.refund_id]
    orders = {refund.id: refund.order_id for refund in records.load(Refund, "id", {about for _, about in failed})}
    due_at = heard.now + _INCIDENT_DUE
    incidents = [
        [heard.given_up[row.id], orders[about], about, _incident_data(row), heard.now, due_at, "", ""]
        for row, about in failed
    ]
    records.insert(Incident, _INCIDENT, incidents, _INCIDENT_OPEN_ONCE)


def _incident_data(row: Notification) -> dict[str, str | int]:
    return {"notification": row.id, "channel": row.channel, "template": row.template, "attempts": row.attempt}


def _seconds(at: datetime | None, now: datetime) -> float:
    return max(0.0, (at - now).total_seconds()) if at else 0.0
