"""What is said to the commands of the books, checked as strictly as by the API."""

from argparse import ArgumentTypeError
from collections.abc import Sequence
from datetime import date, datetime

from orders.errors import Problem
from orders.models import Channel
from refunds.selectors.books_closes import channel_named


def a_day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no day such as 2026-11-30") from None


def a_moment(text: str) -> datetime:
    """With its offset: a time without one is another moment for every reader."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise ArgumentTypeError(f"{text!r} is no time such as 2026-11-30T12:00:00Z")
    return moment


def channels_wanted(slug: str | None) -> Sequence[Channel]:
    """The one, or all. NotFound."""
    return [channel_named(slug)] if slug else list(Channel.objects.order_by("slug"))


def told(problem: Problem) -> str:
    """The reason, with the field where it is about one."""
    fields = [error.field for error in problem.errors if error.field]
    return f"{', '.join(fields)}: {problem.detail}" if fields else problem.detail
