"""Why a thing stands where it stands."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import redis
from django.core.management.base import CommandError, CommandParser

from orders import clock
from orders.errors import NotFound
from orders.models import Channel
from orders.selectors.orders import order_page
from orders.snapshot import snapshot
from refunds.declared.envelope import kind_named
from refunds.management.manifest_description import describe_manifest, found_manifest
from refunds.management.order_description import describe_order
from refunds.management.plain import PlainCommand
from refunds.management.refund_description import describe_refund
from refunds.selectors.dossier import dossier
from refunds.selectors.policies import policies_in_force
from workers import bootstrap
from workers.workqueue import Whereabouts


class Command(PlainCommand):
    help = (
        "Describe refund/NUMBER, order/NUMBER, refundpolicy/NAME or channel/NAME: what is wanted, what is, what was "
        "done, and what comes next."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "subject", metavar="KIND/NUMBER", help="such as refund/RF7K2Q-1042, order/1001 or channel/main"
        )

    def handle(self, *_: Any, subject: str, **__: Any) -> None:
        kind, _slash, number = subject.partition("/")
        declared = kind_named(kind)
        describe = partial(_manifest, declared) if declared else _KINDS.get(kind)
        if describe is None or not number:
            raise CommandError(f"{subject}: say refund/NUMBER, order/NUMBER, refundpolicy/NAME or channel/NAME.")
        try:
            with snapshot():
                self.stdout.write(describe(number))
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
    policies = policies_in_force()
    return "\n\n".join(describe_order(page, channel, policies, clock.now()) for page, channel in pages)


def _manifest(kind: str, name: str) -> str:
    return describe_manifest(found_manifest(kind, name), clock.now())


def _whereabouts(refund_id: int) -> Whereabouts | None:
    try:
        return bootstrap.impatient_workqueue().find("refunds", str(refund_id))
    except redis.RedisError:
        return None


_KINDS: Mapping[str, Callable[[str], str]] = {"refund": _refund, "order": _orders}
