"""Keys of the queues as operators write them."""

from django.core.management.base import CommandError

from orders.errors import NotFound
from refunds.selectors.refunds import refund_anywhere
from workers import bootstrap

KEY_HELP = "a key of a queue, such as refunds/123 (the id), or refund/NUMBER"


def parse_key(text: str) -> tuple[str, str]:
    """The queue and the key in it. CommandError for what is neither."""
    kind, _, name = text.partition("/")
    if kind == "refund" and name:
        return "refunds", str(_refund_id(name))
    names = [spec.name for spec in bootstrap.QUEUES]
    if kind not in names or not name:
        raise CommandError(f"{text} is not {KEY_HELP}. Queues: {', '.join(names)}.")
    return kind, name


def _refund_id(number: str) -> int:
    try:
        return refund_anywhere(number).pk
    except NotFound as problem:
        raise CommandError(problem.detail) from problem
