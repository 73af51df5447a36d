"""The books of store credit, checked."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from orders.snapshot import snapshot
from refunds.management.plain import PlainCommand
from refunds.selectors.credit_accounts import credit_accounts
from refunds.selectors.store_credit import counts, discrepancies


class Command(PlainCommand):
    help = "verify: every balance is the sum of its entries, and every refund given as store credit is among them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("act", choices=["verify"])

    def handle(self, *_: Any, **__: Any) -> None:
        with snapshot():
            wrong, (accounts, entries) = discrepancies(credit_accounts()), counts()
        if wrong:
            raise CommandError("\n".join(wrong))
        self.stdout.write(f"{_counted(accounts, 'account')} and {_counted(entries, 'entry')}: all adds up.")


def _counted(n: int, what: str) -> str:
    plural = f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"
    return f"{n} {what if n == 1 else plural}"
