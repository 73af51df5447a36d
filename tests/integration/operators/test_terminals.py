"""What commands write moves no terminal, whatever the files and the answers say that they tell of."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command, load_command_class

from refunds.management.manifest_files import documents
from refunds.management.plain import PlainCommand
from refunds.management.yaml_form import dump
from tests.integration.manifests.written import policy

pytestmark = pytest.mark.django_db
RED = "\x1b[31mred\x9b\x7f\u202e"
SEEN = "\\u001b[31mred\\u009b\\u007f\\u202e"
RAW = {"\x1b", "\x9b", "\x7f", "\u202e"}
#: Where names and values of a file are told.
FILES = [
    policy() | {RED: 1},
    policy() | {"kind": RED},
    policy(RED),
    policy(clocks={RED: "1d"}),
    policy(limits={"instantMinor": {RED: 1}}),
    policy(reasons=[{RED: 1}]),
    policy(labels={RED: 1}),
    f'"{SEEN}": 1\n"{SEEN}": 2\n',
    f'? ["{SEEN}"]\n: 2\n',
    f"!<{SEEN}> x",
]


def written(*words: str, capsys: Any) -> str:
    """All that one types this for is told."""
    with pytest.raises(SystemExit):
        load_command_class("refunds", words[0]).run_from_argv(["manage.py", *words])
    said = capsys.readouterr()
    return str(said.out + said.err)


@pytest.mark.parametrize("number", range(len(FILES)))
@pytest.mark.parametrize("command", ["apply", "diff", "delete", "simulate"])
def test_what_a_file_says_is_told_without_its_control_characters(
    tmp_path: Path, capsys: Any, command: str, number: int
) -> None:
    tree, file = FILES[number], tmp_path / "a.json"
    if isinstance(tree, str):
        file = tmp_path / "a.yaml"
    file.write_text(tree if isinstance(tree, str) else json.dumps(tree))
    said = written(command, "-f", str(file), capsys=capsys)
    assert not RAW & {*said}
    assert said.strip()


def test_it_is_shown_escaped_where_it_is_told_at_all(tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / f"{RED}.json"
    file.write_text(json.dumps(policy(clocks={RED: "1d"})))
    said = written("apply", "-f", str(file), capsys=capsys)
    assert f"{SEEN}.json:1: spec.clocks.{SEEN}: There is no such field." in said
    assert f"{SEEN}.none: No such file" in written("apply", "-f", f"{RED}.none", capsys=capsys)


@pytest.mark.parametrize("output", ["yaml", "json"])
def test_what_is_got_is_to_the_letter_what_was_applied(tmp_path: Path, output: str) -> None:
    tree = policy(labels={"a\x9b\x85\u2028\u202e": "b\x7f\x9bc\x85\u2028\u202e"})
    (file := tmp_path / "a.yaml").write_text(dump(tree))
    call_command("apply", "-f", str(file), stdout=io.StringIO())
    call_command("get", "policy/fresh", "-o", output, stdout=(out := io.StringIO()))
    (again := tmp_path / f"b.{output}").write_text(out.getvalue())
    assert documents(str(again))[0]["metadata"]["labels"] == tree["metadata"]["labels"]
    assert not RAW & {*out.getvalue()}


def test_lines_and_colours_of_ours_stay() -> None:
    class Command(PlainCommand):
        def handle(self, *_: Any, **__: Any) -> None:
            self.stdout.write(f"a\n\tb {RED}", self.style.SUCCESS)

    call_command(Command(), stdout=(out := io.StringIO()), force_color=True)
    assert out.getvalue().startswith("\x1b[") and f"a\n\tb {SEEN}" in out.getvalue()
