"""What is declared."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from orders import clock
from orders.models import Channel
from orders.snapshot import snapshot
from refunds.declared import channel_rules
from refunds.management.arguments import Once, some_text
from refunds.management.manifest_tables import manifests_table, manifests_text
from refunds.management.operating import add_output, kind_of
from refunds.management.plain import PlainCommand
from refunds.models import Manifest
from refunds.selectors.manifests import manifests_named, manifests_page, not_found, undeclared_channels

_UNDECLARED = "The channel {} is served and not declared: apply a Channel of this name to change it."


class Command(PlainCommand):
    help = "List the manifests of a kind, or show one: as a table, as YAML or as JSON."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("kind", metavar="KIND", help="policies or channels; KIND/NAME is one of them")
        parser.add_argument("name", metavar="NAME", nargs="?", type=some_text)
        add_output(parser)
        labels = parser.add_argument("-l", "--labels", default="", metavar="NAME=VALUE", action=Once)
        labels.help = "those with these, by comma"

    def handle(self, *_: Any, kind: str, name: str | None, output: str, labels: str, **__: Any) -> None:
        word, slash, named = kind.partition("/")
        if slash and not named:
            raise CommandError(f"{kind}: say KIND, KIND/NAME or KIND NAME.")
        if (name and named) or ((name or named) and labels):
            raise CommandError("Say one name, or labels, or neither.")
        kind, name, wanted = kind_of(word), name or named, _pairs(labels)
        with snapshot():
            rows = _named(kind, name) if name else manifests_page(kind, channels=None, labels=wanted)
            others = [] if wanted or kind != channel_rules.KIND else _undeclared(name)
            now = clock.now()
        if name and not rows and not (others and output == "table"):
            raise CommandError(_UNDECLARED.format(name) if others else not_found(kind, name).detail)
        if output != "table":
            self.stdout.write(manifests_text(rows, output, is_one=bool(name)))
        elif rows or others:
            self.stdout.write(manifests_table(kind, rows, others, now=now))
        else:
            self.stderr.write(f"There is no {kind}.")


def _named(kind: str, name: str) -> list[Manifest]:
    found = manifests_named([(kind, name)]).get((kind, name))
    return [found] if found else []


def _undeclared(name: str | None) -> list[Channel]:
    return [channel for channel in undeclared_channels() if name in (None, "", channel.slug)]


def _pairs(text: str) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in text.split(",")] if text else []
    if any(not name or not sign for name, sign, _ in pairs):
        raise CommandError(f"{text}: labels are NAME=VALUE, several by comma.")
    return {name: value for name, _, value in pairs}
