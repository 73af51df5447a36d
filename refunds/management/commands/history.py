"""What was applied under a name, by whom and when."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from orders import clock
from orders.errors import NotFound
from orders.snapshot import snapshot
from refunds.management.manifest_tables import history_text
from refunds.management.operating import add_output, add_subject
from refunds.management.operating import subject as named
from refunds.management.plain import PlainCommand
from refunds.selectors.manifests import manifest_named, versions_of


class Command(PlainCommand):
    help = "The generations of a manifest, the newest first, with what each has changed; as YAML or JSON their specs."

    def add_arguments(self, parser: CommandParser) -> None:
        add_subject(parser)
        add_output(parser)

    def handle(self, *_: Any, subject: str, output: str, **__: Any) -> None:
        try:
            with snapshot():
                row = manifest_named(*named(subject), channels=None)
                self.stdout.write(history_text(row, versions_of(row), output, now=clock.now()))
        except NotFound as problem:
            raise CommandError(problem.detail) from problem
