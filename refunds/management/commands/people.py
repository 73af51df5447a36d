"""Who works here, letting one in and letting one out: at the machine, where no supervisor is yet, or none is left."""

import getpass
import sys
from typing import Any

from django.core.management.base import CommandError, CommandParser

from orders.errors import Problem
from orders.locks import LockNotHad
from orders.models import Channel
from orders.roles import KEY_ROLES, SYSTEM, Role
from refunds.management.arguments import MOST_ID, Each, Once, a_whole
from refunds.management.plain import PlainCommand
from refunds.selectors.desk import people
from refunds.services.joining import Newcomer, join, new_key
from refunds.services.leaving import leave


class Command(PlainCommand):
    help = (
        "list: who works here. add NAME --role ROLE --channel NAME: let somebody, or a shop's server, in; prints a key."
        " key ID: one more key. leave ID: revoke his keys, log him out for good, give back his open cases."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        acts.add_parser("list", help="who works here")
        add = acts.add_parser("add", help="let somebody in; prints his key, once")
        add.add_argument("name")
        add.add_argument("--role", required=True, choices=[role.value for role in KEY_ROLES], action=Once)
        add.add_argument("--channel", action=Each, required=True, help="may be given several times")
        username = add.add_argument("--username", default="", action=Once)
        username.help = "for the console; asks for a password, or reads it"
        for act, does in (("key", "one more key"), ("leave", "he gets in no more")):
            acts.add_parser(act, help=does).add_argument(
                "id", type=a_whole(MOST_ID), help="the number behind principal:"
            )

    def handle(self, *_: Any, act: str, **given: Any) -> None:
        try:
            {"list": self._list, "add": self._add, "key": self._key, "leave": self._leave}[act](given)
        except (Problem, LockNotHad) as error:
            raise CommandError(str(error)) from error

    def _list(self, given: dict[str, Any]) -> None:
        for person in people(channels=list(Channel.objects.values_list("pk", flat=True))):
            left = " has left" if person.principal.left_at else ""
            channels = ", ".join(sorted(_slug(channel) for channel in person.principal.channels.all()))
            self.stdout.write(f"{person.principal.pk} {person.principal}, {channels}: {person.cases} open cases{left}")

    def _add(self, given: dict[str, Any]) -> None:
        password = _password() if given["username"] else ""
        newcomer = Newcomer(given["name"], Role(given["role"]), given["channel"], given["username"], password)
        principal = join(newcomer, actor=SYSTEM)
        self.stderr.write(f"principal:{principal.pk} {principal}: {', '.join(given['channel'])}. The key, shown once:")
        self._key({"id": principal.pk})

    def _key(self, given: dict[str, Any]) -> None:
        self.stdout.write(new_key(given["id"], actor=SYSTEM))

    def _leave(self, given: dict[str, Any]) -> None:
        left = leave(given["id"], channels=None, actor=SYSTEM)
        self.stdout.write(f"{left.principal} has left; nobody's now: {', '.join(left.cases) or 'none'}.")


def _slug(channel: Channel) -> str:
    """One that is gone is not the one that has its name now."""
    return f"{channel.slug} (gone)" if channel.retired_at else channel.slug


def _password() -> str:
    """Typed unseen, or the first line of what is piped in."""
    return getpass.getpass("Password for the console: ") if sys.stdin.isatty() else sys.stdin.readline().rstrip("\n")
