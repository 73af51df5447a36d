"""Take back that a manifest is to go."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from refunds.management.manifest_files import REFUSALS, told
from refunds.management.operating import add_subject, operator
from refunds.management.operating import subject as named
from refunds.management.plain import PlainCommand
from refunds.services.manifests.removing import withdraw_removal


class Command(PlainCommand):
    help = "Withdraw a removal that has not begun, as one that waits for a second person: it stays as it was."

    def add_arguments(self, parser: CommandParser) -> None:
        add_subject(parser)

    def handle(self, *_: Any, subject: str, **__: Any) -> None:
        kind, name = named(subject)
        try:
            row = withdraw_removal(kind, name, operator())
        except REFUSALS as problem:
            raise CommandError(told(problem)) from problem
        self.stdout.write(f"{row.kind.lower()}/{row.name} is not removed: it stays as it was")
