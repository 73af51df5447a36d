"""Let go of what is declared."""

from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandError, CommandParser

from refunds.management.manifest_files import REFUSALS, read_files, told
from refunds.management.operating import SUBJECT, add_files, operator
from refunds.management.operating import subject as named
from refunds.management.plain import PlainCommand
from refunds.services.manifests.removing import delete_manifest


class Command(PlainCommand):
    help = "Let manifests go: nothing new is taken by them at once, and they are gone when what runs has ended."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("subject", metavar=SUBJECT, nargs="?", help="such as refundpolicy/fresh")
        add_files(parser, required=False)

    def handle(self, *_: Any, subject: str | None, files: list[str], **__: Any) -> None:
        if bool(subject) == bool(files):
            raise CommandError(f"Say which: {SUBJECT}, or -f FILE.")
        failed = [trouble for kind, name in self._named(subject, files) if (trouble := self._deleted(kind, name))]
        for trouble in failed:
            self.stderr.write(trouble)
        if failed:
            raise CommandError(f"{len(failed)} could not be let go.")

    def _named(self, one: str | None, files: list[str]) -> Iterator[tuple[str, str]]:
        """The specs of the files do not matter. CommandError before anything is let go where one cannot be read."""
        if one:
            yield named(one)
            return
        found = read_files(files)
        wrong = [*found.wrong, *(trouble for w in found.written if w.declared is None for trouble in w.wrong)]
        if wrong:
            raise CommandError("\n".join(wrong))
        yield from ((w.declared.kind, w.declared.name) for w in found.written if w.declared)

    def _deleted(self, kind: str, name: str) -> str | None:
        try:
            row = delete_manifest(kind, name, operator())
        except REFUSALS as problem:
            return told(problem)
        self.stdout.write(f"{row.kind.lower()}/{row.name} terminating")
        return None
