"""Webhooks to shops at the machine: those that were given up, and having them sent again."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from orders.clock import now
from orders.errors import Problem
from orders.locks import LockNotHad
from orders.models import Channel
from orders.roles import SYSTEM
from refunds.management.arguments import MOST_ID, Once, a_whole
from refunds.management.plain import PlainCommand
from refunds.management.writing import moment, table
from refunds.selectors.hooks import hooks_page
from refunds.services.hooks.dead_letters import retry_dead_hooks, retry_hook
from refunds.states import HookState

MOST = 100
_COLUMNS = ("Id", "Channel", "Event", "Type", "Address", "Attempts", "Given up", "Last error")


class Command(PlainCommand):
    help = "list: dead letters. retry ID: send one again; retry --dead --channel SLUG: all of a channel."

    def add_arguments(self, parser: CommandParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        listing = acts.add_parser("list", help=f"dead letters, the newest {MOST}")
        listing.add_argument("--channel", metavar="SLUG", action=Once, help="of this channel only")
        retry = acts.add_parser("retry", help="send again, by the whole schedule and under the same webhook-id")
        retry.add_argument("id", type=a_whole(MOST_ID), nargs="?", help="a delivery, of webhooks list")
        retry.add_argument("--dead", action="store_true", help="all dead letters of --channel")
        retry.add_argument("--channel", metavar="SLUG", action=Once, help="the channel of --dead")

    def handle(self, *_: Any, act: str, channel: str | None = None, **named: Any) -> None:
        try:
            if act == "list":
                self._list(channel)
            else:
                self._retry(named["id"], channel, dead=named["dead"])
        except (Problem, LockNotHad) as error:
            raise CommandError(str(error)) from error

    def _list(self, slug: str | None) -> None:
        channels = [_channel(slug).pk] if slug else list(Channel.objects.values_list("pk", flat=True))
        at = now()
        rows = [
            (
                hook.pk,
                hook.endpoint.channel.slug,
                f"{hook.refund.number}.{hook.seq}",
                hook.event.kind,
                hook.endpoint.url,
                hook.attempt,
                moment(hook.ended_at, at),
                hook.last_error,
            )
            for hook in hooks_page(channels=channels, state=HookState.DEAD, before_id=None, limit=MOST)
        ]
        self.stdout.write("\n".join(table("Dead letters", _COLUMNS, rows)))

    def _retry(self, delivery_id: int | None, slug: str | None, *, dead: bool) -> None:
        if (delivery_id is None) != dead or dead != bool(slug):
            raise CommandError("Say which: webhooks retry ID, or webhooks retry --dead --channel SLUG.")
        if delivery_id is not None:
            retry_hook(delivery_id, channels=None, actor=SYSTEM)
            self.stdout.write(f"{delivery_id} is sent again.")
        elif slug:
            self.stdout.write(f"{retry_dead_hooks(_channel(slug).pk)} are sent again.")


def _channel(slug: str) -> Channel:
    channel = Channel.objects.filter(slug=slug).order_by("retired_at").last()
    if channel is None:
        raise CommandError(f"There is no channel {slug}.")
    return channel
