"""A short way to write a movement, a reply and what becomes of them, so that the tables read like the rules.

A movement is "<state> <call>", then as needed "#2" its attempt (1 where it was ever sent), "id:a" the gateway refund
it holds, "was:b,c" those that failed before it, "key:1" the number in its key, "5xx" when the last answer was a server
error, "replaced" when another movement pays it again. `FIRST_SENT` is when it left; its answer is due 10 s later, and
absence counts from 5 s after that.
"""

import dataclasses
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from refunds.calls import CallPhase, CallState, Timing
from refunds.judging import Attempt
from refunds.movements import MovementView
from refunds.states import MovementState
from workers.ports import Accepted, Capabilities, Found, GatewayFact, GatewayStatus, NotSent, Refused, Reply, Unknown

Value = TypeVar("Value", bound=Any)

TIMING = Timing(call_seconds=10, retry_seconds=10, retry_cap_seconds=600, ask_cap_seconds=6 * 3600)
FIRST_SENT = datetime(2026, 1, 1, 12, tzinfo=UTC)

CAN_BE_ASKED = Capabilities(look_up=True, idempotency_keys=True, settle_seconds=5)
FAILED_KEY_IS_FINAL = Capabilities(look_up=True, idempotency_keys=True, settle_seconds=5, failed_key_is_final=True)
ONLY_KEYS = Capabilities(look_up=False, idempotency_keys=True, settle_seconds=5, key_lifetime_seconds=3600)
NEITHER = Capabilities(look_up=False, idempotency_keys=False, settle_seconds=5)


def second(seconds: float) -> datetime:
    """So many seconds after the movement left."""
    return FIRST_SENT + timedelta(seconds=seconds)


def movement(text: str, can: Capabilities = CAN_BE_ASKED) -> MovementView:
    state, phase, *more = text.split()
    was_sent = phase != "idle" or state not in ("intended", "cancelled", "external") or "#1" in more
    attempt, held, key_no, failed = int(was_sent), None, 0, set[str]()
    for word in more:
        name, _, value = word.partition(":")
        if word.startswith("#"):
            attempt = int(word[1:])
        held = value if name == "id" else held
        key_no = int(value) if name == "key" else key_no
        failed |= (
            set(value.split(",")) if name == "was" or (name == "id" and state in ("intended", "failed")) else set()
        )
    call = CallState(call=CallPhase(phase), attempt=attempt)
    if attempt:
        call = CallState(CallPhase(phase), "refund", attempt, sent_at=FIRST_SENT, answer_due_at=second(10))
    return MovementView(
        number="RF-1-1",
        state=MovementState(state),
        amount_minor=1000,
        currency="EUR",
        call=call,
        can=can,
        gateway_refund_id=held,
        failed_ids=frozenset(failed),
        key_no=key_no,
        server_error="5xx" in more,
        open_since=FIRST_SENT if state == "pending" else None,
        replaced="replaced" in more,
    )


def shown(it: MovementView) -> str:
    """The movement in the same words, without its attempt."""
    held = f" id:{it.gateway_refund_id}" if it.gateway_refund_id else ""
    key = f" key:{it.key_no}" if it.key_no else ""
    return f"{it.state} {it.call.call}{held}{key}{' 5xx' if it.server_error else ''}"


def fact(text: str) -> GatewayFact:
    """ "a pending" or "a failed 500" (another amount than the movement's)."""
    gateway_refund_id, status, *amount = text.split()
    return GatewayFact(
        gateway_refund_id=gateway_refund_id,
        number="RF-1-1",
        status=GatewayStatus(status),
        amount_minor=int(amount[0]) if amount else 1000,
        currency="EUR",
        failure_code="declined" if status == "failed" else "",
    )


def reply(text: str) -> Reply:
    """ "accepted a pending", "declined", "try later", "unknown", "unknown 5xx", "not sent"."""
    if text.startswith("accepted "):
        return Accepted(fact(text.removeprefix("accepted ")))
    return {
        "declined": Refused("declined", "by the bank"),
        "try later": Refused("rate_limited", retryable=True),
        "unknown": Unknown("timed out"),
        "unknown 5xx": Unknown("500", answered=True),
        "not sent": NotSent("connection refused"),
    }[text]


def found(text: str) -> Found:
    """ "nothing", or facts with commas between: "a failed, b succeeded"."""
    return Found() if text == "nothing" else Found(tuple(fact(one) for one in text.split(", ")))


def of(it: MovementView, *, attempt: int | None = None, asked_at: datetime = FIRST_SENT) -> Attempt:
    """The answer to its last call, which was idle before, or to that of an earlier attempt."""
    before = CallState(attempt=it.call.attempt - 1)
    return Attempt(attempt=attempt or it.call.attempt, before=before, asked_at=asked_at)


def names(facts: tuple[GatewayFact, ...]) -> str:
    return ", ".join(f"{f.gateway_refund_id} {f.status}" for f in facts) or "nothing"


def replace(value: Value, **changes: Any) -> Value:
    """A copy with these fields changed, of a named tuple or a dataclass."""
    if isinstance(value, tuple):
        return value._replace(**changes)
    return dataclasses.replace(value, **changes)
