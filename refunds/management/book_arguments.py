"""What is said to the commands of the books, checked as strictly as by the API."""

from collections.abc import Sequence

from orders.errors import Problem
from orders.models import Channel
from refunds.selectors.books_closes import channel_named


def channels_wanted(slug: str | None) -> Sequence[Channel]:
    """The one, or all. NotFound."""
    return [channel_named(slug)] if slug else list(Channel.objects.order_by("slug"))


def told(problem: Problem) -> str:
    """The reason, with the field where it is about one."""
    fields = [error.field for error in problem.errors if error.field]
    return f"{', '.join(fields)}: {problem.detail}" if fields else problem.detail
