"""The word of a second person about what loosens a rule."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from refunds.management.arguments import MOST_GENERATION, Once, a_whole
from refunds.management.manifest_files import REFUSALS, told
from refunds.management.operating import add_subject, operator
from refunds.management.operating import subject as named
from refunds.management.plain import PlainCommand
from refunds.services.manifests.applying import Seen, approve_manifest


class Command(PlainCommand):
    help = "Approve what loosens a rule, as another person than the one who applied it; describe tells what came of it."

    def add_arguments(self, parser: CommandParser) -> None:
        add_subject(parser)
        record = parser.add_argument("--record", required=True, action=Once)
        record.help = 'the address of the approval, or "unapproved: why"'
        parser.add_argument("--as", required=True, dest="author", metavar="AUTHOR", action=Once, help="who approves")
        generation = parser.add_argument("--generation", type=a_whole(MOST_GENERATION), action=Once)
        generation.help = "the one he has seen: refused if it has moved on"

        parser.add_argument("--removal", action="store_true", help="it is its removal that he agrees to")

    def handle(self, *_: Any, subject: str, record: str, author: str, **options: Any) -> None:
        kind, name = named(subject)
        seen = Seen(options["removal"], options["generation"])
        try:
            row = approve_manifest(kind, name, record, operator(author), seen=seen)
        except REFUSALS as problem:
            raise CommandError(told(problem)) from problem
        self.stdout.write(
            f"{row.kind.lower()}/{row.name} generation {row.approved_generation}: {row.approval} ({row.approved_by})"
        )
