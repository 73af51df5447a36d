"""Why a thing stands where it stands."""

from collections.abc import Callable, Mapping
from typing import Any

import redis
from django.core.management.base import BaseCommand, CommandError, CommandParser

from orders import clock
from orders.errors import NotFound
from orders.models import Channel
from orders.selectors.orders import order_page
from orders.snapshot import snapshot
from refunds.management.order_description import describe_order
from refunds.management.refund_description import describe_refund
from refunds.selectors.dossier import dossier
from workers import bootstrap
from workers.workqueue import Whereabouts


class Command(BaseCommand):
    help = "Describe refund/NUMBER or order/NUMBER: what is wanted, what is, what was done, and what comes next."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("subject", metavar="KIND/NUMBER", help="such as refund/RF7K2Q-1042 or order/1001")

    def handle(self, *_: Any, subject: str, **__: Any) -> None:
        kind, _slash, number = subject.partition("/")
        if kind not in _KINDS or not number:
            raise CommandError(f"{subject}: say refund/NUMBER or order/NUMBER.")
        try:
            with snapshot():
                self.stdout.write(_KINDS[kind](number))
        except NotFound as problem:
            raise CommandError(problem.detail) from problem


def _refund(number: str) -> str:
    found = dossier(number)
    return describe_refund(found, _whereabouts(found.refund.pk))


def _orders(number: str) -> str:
    """Each channel has its own numbers."""
    channels = list(Channel.objects.filter(order__number=number).order_by("slug"))
    if not channels:
        raise NotFound("not_found", f"There is no order {number}.")
    pages = [(order_page(channel_id=channel.pk, number=number), channel) for channel in channels]
    return "\n\n".join(describe_order(page, channel, clock.now()) for page, channel in pages)


def _whereabouts(refund_id: int) -> Whereabouts | None:
    try:
        return bootstrap.impatient_workqueue().find("refunds", str(refund_id))
    except redis.RedisError:
        return None


_KINDS: Mapping[str, Callable[[str], str]] = {"refund": _refund, "order": _orders}
