"""The ledger, checked from the command line."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from refunds.management.plain import PlainCommand
from refunds.selectors.ledger_check import check_all


class Command(PlainCommand):
    help = (
        "verify: every column of every payment share is the sum of its ledger entries. Names each difference; exit 1."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("act", choices=["verify"])

    def handle(self, *_: Any, **__: Any) -> None:
        checked = differences = 0
        for page in check_all():
            checked += page.count
            differences += len(page.differences)
            for difference in page.differences:
                self.stdout.write(str(difference))
            self.stderr.write(f"{checked} payment shares checked")
        if differences:
            raise CommandError(f"{differences} differences in {checked} payment shares.")
        self.stdout.write(f"{checked} payment shares: all columns are the sums of their entries.")
