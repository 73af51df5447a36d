"""What applying would change."""

from difflib import unified_diff
from typing import Any

from django.core.management.base import CommandError, CommandParser

from refunds.declared.envelope import API_VERSION, Declared
from refunds.management.manifest_files import Written, read_files
from refunds.management.operating import add_files
from refunds.management.plain import PlainCommand
from refunds.management.yaml_form import dump
from refunds.models import Manifest
from refunds.selectors.manifests import manifests_named

#: As `diff` has it: 1 is a difference, more is trouble.
DIFFERS, TROUBLE = 1, 2


class Command(PlainCommand):
    help = "Compare files with what is declared. Exit 0: the same; 1: not the same; 2: something cannot be read."

    def add_arguments(self, parser: CommandParser) -> None:
        add_files(parser)

    def handle(self, *_: Any, files: list[str], **__: Any) -> None:
        found = read_files(files)
        wrong = [*found.wrong, *(trouble for one in found.written for trouble in one.wrong)]
        for trouble in wrong:
            self.stderr.write(trouble)
        good = [one for one in found.written if one.declared and not one.wrong]
        stored = manifests_named([(one.declared.kind, one.declared.name) for one in good if one.declared])
        differing = [one.name for one in good if self._differs(one, stored)]
        if wrong:
            raise CommandError(f"{len(wrong)} of what is written cannot be read.", returncode=TROUBLE)
        if differing:
            raise CommandError(f"Different: {', '.join(differing)}.", returncode=DIFFERS)

    def _differs(self, one: Written, stored: dict[tuple[str, str], Manifest]) -> bool:
        assert one.declared is not None
        row = stored.get((one.declared.kind, one.declared.name))
        before = [] if row is None else _lines(row)
        lines = list(unified_diff(before, _lines(one.declared), f"stored {one.name}", f"{one.source} {one.name}"))
        for line in lines:
            self.stdout.write(line.rstrip("\n"))
        return bool(lines)


def _lines(of: Manifest | Declared) -> list[str]:
    """In one order, whatever order it was written in."""
    metadata = {"name": of.name} | {n: _sorted(v) for n in ("labels", "annotations") if (v := getattr(of, n))}
    tree = {"apiVersion": API_VERSION, "kind": of.kind, "metadata": metadata, "spec": _sorted(of.spec)}
    return dump(tree).splitlines(keepends=True)


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value)}
    return [_sorted(one) for one in value] if isinstance(value, list) else value
