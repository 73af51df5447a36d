"""The query parameters of the refund doors, checked as strictly as bodies are."""

import re
from datetime import datetime

from django.http import HttpRequest
from rest_framework.exceptions import ValidationError

from orders.errors import Invalid
from orders.rest.door import Door
from orders.rest.fields import MAX_BIGINT, Timestamp
from orders.rest.parameters import query_text
from refunds.event_types import EVENT_TYPES
from refunds.selectors.feed import FeedPosition
from refunds.selectors.refunds import RefundFilter
from refunds.states import RefundState

_POSITION = re.compile(r"([0-9a-f]{1,16})\.([0-9a-f]{1,16})")
_TIMESTAMP = Timestamp()


def refund_filter(door: Door, *, before_id: int | None) -> RefundFilter:
    """`?channel=`, `?order=`, `?state=` (several by comma) and `?updated_since=`."""
    request = door.request._request
    return RefundFilter(
        channels=channel_ids(door),
        order=query_text(request, "order") or "",
        states=_states(request),
        updated_since=_updated_since(request),
        before_id=before_id,
    )


def channel_ids(door: Door) -> tuple[int, ...]:
    """The channel named by `?channel=`, or all that the key has."""
    if query_text(door.request._request, "channel") is None:
        return door.caller.channel_ids
    return (door.channel().id,)


def event_types(request: HttpRequest) -> tuple[str, ...]:
    """`?types=`: those asked for; none when it is not given. An unknown one would be waited for for ever."""
    asked = _words(request, "types")
    if unknown := [word for word in asked if word not in EVENT_TYPES]:
        detail = f"There is no event {', '.join(unknown)[:200]}: see known."
        raise Invalid.of("types", "unknown_event", detail, known=sorted(EVENT_TYPES))
    return asked


def _words(request: HttpRequest, name: str) -> tuple[str, ...]:
    """A list by comma; empty when the parameter is not given, and 422 when it names nothing."""
    text = query_text(request, name, max_length=4000)
    found = tuple(filter(None, (text or "").split(",")))
    if text and not found:
        raise Invalid.of(name, "bad_parameter", f"{name} must name one or several, by comma.")
    return found


def feed_position(request: HttpRequest) -> FeedPosition:
    """`?after=`: the `next` of an earlier page; the beginning when it is not given."""
    text = query_text(request, "after")
    if text is None:
        return FeedPosition()
    found = _POSITION.fullmatch(text)
    position = FeedPosition(*(int(part, 16) for part in found.groups())) if found else None
    if position is None or max(position.transaction_id, position.event_id) > MAX_BIGINT:
        raise Invalid.of(
            "after", "bad_cursor", "This cursor was not made by us: leave it out to start from the first event."
        )
    return position


def feed_cursor(position: FeedPosition) -> str:
    return f"{position.transaction_id:x}.{position.event_id:x}"


def _states(request: HttpRequest) -> tuple[RefundState, ...]:
    try:
        return tuple(RefundState(word) for word in _words(request, "state"))
    except ValueError:
        known = ", ".join(RefundState)
        raise Invalid.of("state", "bad_parameter", f"state must be one or several of {known}.") from None


def _updated_since(request: HttpRequest) -> datetime | None:
    text = query_text(request, "updated_since")
    try:
        return None if text is None else _TIMESTAMP.to_internal_value(text)
    except ValidationError:
        detail = "updated_since must be a time such as 2026-05-01T12:00:00Z."
        raise Invalid.of("updated_since", "bad_parameter", detail) from None
