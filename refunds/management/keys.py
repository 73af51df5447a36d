"""Keys of the queues as operators write them."""

from collections.abc import Mapping

from django.core.management.base import CommandError
from django.db.models import Model

from orders.errors import NotFound
from refunds.models import Manifest, Notification, Orphan, Refund, WebhookDelivery
from refunds.selectors.refunds import refund_anywhere
from workers import bootstrap
from workers.reconcilers.keys import NoSuchKey, row_id

KEY_HELP = "a key of a queue, such as refunds/123 (the id), or refund/NUMBER"
_ROWS: Mapping[str, type[Model]] = {
    "refunds": Refund,
    "notifications": Notification,
    "orphans": Orphan,
    "manifests": Manifest,
    "webhooks": WebhookDelivery,
}


def parse_key(text: str) -> tuple[str, str]:
    """The queue and the key in it, which names something that is there. CommandError for anything else."""
    kind, _, name = text.partition("/")
    if kind == "refund" and name:
        return "refunds", str(_refund_id(name))
    names = [spec.name for spec in bootstrap.QUEUES]
    if kind not in names or not name:
        raise CommandError(f"{text} is not {KEY_HELP}. Queues: {', '.join(names)}.")
    if not _is_there(kind, name):
        raise CommandError(f"{text} is nothing that is there; {_what(kind)}.")
    return kind, name


def _what(queue: str) -> str:
    if queue == "listings":
        return f"its keys are the gateway accounts: {', '.join(bootstrap.accounts()) or 'none'}"
    return "its keys are ids: digits alone, none of them a leading 0"


def _is_there(queue: str, name: str) -> bool:
    if queue == "listings":
        return name in bootstrap.accounts()
    try:
        return _ROWS[queue]._default_manager.filter(pk=row_id(name)).exists()
    except NoSuchKey:
        return False


def _refund_id(number: str) -> int:
    try:
        return refund_anywhere(number).pk
    except NotFound as problem:
        raise CommandError(problem.detail) from problem
