"""Back to an earlier generation."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from refunds.management.arguments import MOST_GENERATION, Once, a_whole
from refunds.management.manifest_files import REFUSALS, told
from refunds.management.operating import add_subject, operator
from refunds.management.operating import subject as named
from refunds.management.plain import PlainCommand
from refunds.services.manifests.applying import roll_back_manifest


class Command(PlainCommand):
    help = "Apply the spec of an earlier generation anew (see history): it becomes the next one."

    def add_arguments(self, parser: CommandParser) -> None:
        add_subject(parser)
        parser.add_argument("--to", type=a_whole(MOST_GENERATION), required=True, metavar="GENERATION", action=Once)

    def handle(self, *_: Any, subject: str, to: int, **__: Any) -> None:
        kind, name = named(subject)
        try:
            applied = roll_back_manifest(kind, name, to, operator())
        except REFUSALS as problem:
            raise CommandError(told(problem)) from problem
        row = applied.manifest
        self.stdout.write(f"{row.kind.lower()}/{row.name} {applied.what}: generation {row.generation} is as {to} was")
