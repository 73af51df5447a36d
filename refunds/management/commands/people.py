"""Who works here, and letting one out: at the machine, where no supervisor is left who could."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from orders.errors import Problem
from orders.locks import LockNotHad
from orders.models import Channel
from orders.roles import SYSTEM
from refunds.selectors.desk import people
from refunds.services.leaving import leave


class Command(BaseCommand):
    help = "list: who works here. leave ID: revoke his keys, log him out for good, give back his open cases."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("act", choices=["list", "leave"])
        parser.add_argument("id", type=int, nargs="?", help="the number behind principal:")

    def handle(self, *_: Any, act: str, id: int | None, **__: Any) -> None:
        if act == "leave":
            self._leave(id)
            return
        for person in people(channels=list(Channel.objects.values_list("pk", flat=True))):
            left = " has left" if person.principal.left_at else ""
            self.stdout.write(f"{person.principal.pk} {person.principal}: {person.cases} open cases{left}")

    def _leave(self, principal_id: int | None) -> None:
        if principal_id is None:
            raise CommandError("Say who: people leave ID, of people list.")
        try:
            left = leave(principal_id, channels=None, actor=SYSTEM)
        except (Problem, LockNotHad) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{left.principal} has left; nobody's now: {', '.join(left.cases) or 'none'}.")
