"""What is declared."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from orders import clock
from orders.errors import NotFound
from orders.snapshot import snapshot
from refunds.management.arguments import Once
from refunds.management.manifest_tables import manifests_text
from refunds.management.operating import add_output, kind_of
from refunds.selectors.manifests import manifest_named, manifests_page


class Command(BaseCommand):
    help = "List the manifests of a kind, or show one: as a table, as YAML or as JSON."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("kind", metavar="KIND", help="policies or channels; KIND/NAME is one of them")
        parser.add_argument("name", metavar="NAME", nargs="?")
        add_output(parser)
        labels = parser.add_argument("-l", "--labels", default="", metavar="NAME=VALUE", action=Once)
        labels.help = "those with these, by comma"

    def handle(self, *_: Any, kind: str, name: str | None, output: str, labels: str, **__: Any) -> None:
        word, _slash, named = kind.partition("/")
        if (name and named) or ((name or named) and labels):
            raise CommandError("Say one name, or labels, or neither.")
        kind, name, wanted = kind_of(word), name or named, _pairs(labels)
        try:
            with snapshot():
                rows = [manifest_named(kind, name, channels=None)] if name else _all(kind, wanted)
                now = clock.now()
        except NotFound as problem:
            raise CommandError(problem.detail) from problem
        if not rows and output == "table":
            self.stderr.write(f"There is no {kind}.")
            return
        self.stdout.write(manifests_text(rows, kind, output, now=now, is_one=bool(name)))


def _all(kind: str, labels: dict[str, str]) -> list[Any]:
    return manifests_page(kind, channels=None, labels=labels)


def _pairs(text: str) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in text.split(",")] if text else []
    if any(not name or not sign for name, sign, _ in pairs):
        raise CommandError(f"{text}: labels are NAME=VALUE, several by comma.")
    return {name: value for name, _, value in pairs}
