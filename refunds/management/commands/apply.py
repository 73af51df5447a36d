"""Make what is written so."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from refunds.management.manifest_files import REFUSALS, Written, read_files, told
from refunds.management.operating import add_files, operator
from refunds.management.plain import PlainCommand
from refunds.services.manifests.applying import Declarer, apply_manifest


class Command(PlainCommand):
    help = "Apply manifests from files. Each is told as created, configured or unchanged; exit 1 if any was refused."

    def add_arguments(self, parser: CommandParser) -> None:
        add_files(parser)
        parser.add_argument("--dry-run", action="store_true", help="say what would become of it, and write nothing")

    def handle(self, *_: Any, files: list[str], dry_run: bool, **__: Any) -> None:
        found, by = read_files(files), operator()
        for trouble in found.wrong:
            self.stderr.write(trouble)
        failed = len(found.wrong) + sum(not self._applied(one, by, dry_run) for one in found.written)
        if failed:
            raise CommandError(f"{failed} of {len(found.wrong) + len(found.written)} could not be applied.")

    def _applied(self, one: Written, by: Declarer, dry_run: bool) -> bool:
        if one.declared is None or one.wrong:
            for trouble in one.wrong:
                self.stderr.write(trouble)
            return False
        try:
            what = apply_manifest(one.declared, by, dry_run=dry_run).what
        except REFUSALS as problem:
            self.stderr.write(f"{one.source}:{one.line}: {one.name}: {told(problem)}")
            return False
        self.stdout.write(f"{one.name} {what}{' (dry run)' if dry_run else ''}")
        return True
