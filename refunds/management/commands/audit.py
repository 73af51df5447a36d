"""All about one refund in one file, for who audits it."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from orders.errors import NotFound
from orders.snapshot import snapshot
from refunds.management.arguments import Once
from refunds.management.audit_files import packed
from refunds.management.plain import PlainCommand
from refunds.selectors.audit_pack import audit_pack


class Command(PlainCommand):
    help = "Put all about one refund into a zip file, its events verified: the same bytes for the same state."

    def add_arguments(self, parser: CommandParser) -> None:
        pack = parser.add_subparsers(dest="act", required=True).add_parser("pack", help="order, refund, ledger and all")
        pack.add_argument("number", metavar="NUMBER", help="of the refund, such as RF7K2Q-1042")
        pack.add_argument("-o", "--output", metavar="FILE", action=Once, help="default: NUMBER.zip")

    def handle(self, *_: Any, number: str, output: str | None, **__: Any) -> None:
        try:
            with snapshot():
                found = audit_pack(number)
        except NotFound as problem:
            raise CommandError(f"number: {problem.detail}") from problem
        file = Path(output or f"{found.refund.number}.zip")
        try:
            file.write_bytes(packed(found))
        except OSError as error:
            raise CommandError(f"--output: {error}") from error
        chain = f"BROKEN: {'; '.join(found.chain)}" if found.chain else "whole"
        self.stdout.write(f"{file}: {len(found.files['events'])} events, their chain is {chain}")
