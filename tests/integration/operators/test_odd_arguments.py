"""Numbers, spans and times on the command line: what is none, or nobody can mean, is told in one line."""

import io
from argparse import Action, ArgumentParser, ArgumentTypeError, _SubParsersAction
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import BaseCommand, CommandError, call_command, get_commands, load_command_class

from refunds.management.arguments import Each, Once, a_path, some_text
from refunds.management.plain import PlainCommand
from tests.fingerprint import fingerprint
from tests.integration.manifests.test_examples import FOLDER

pytestmark = pytest.mark.django_db
NUMBERS = ["-1", "0", "9" * 20, "9" * 5000, "1.5", "1e3", "x", "", " 1", "+1", "1_0", "٣", "0x1"]
SPANS = ["-1d", "0s", "0w", "999999999w", "99999999999d", "1", "d", "1.5h", "1 d", "٣d", ""]
TIMES = ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2026-13-01T00:00Z", "soon", "", "2026-11-30"]
DAYS = ["0000-01-01", "10000-01-01", "2026-02-30", "2026", "-1", "", "soon"]
#: Options of all of Django's commands.
OF_DJANGO = {"verbosity", "settings", "pythonpath"}
POLICY = str(FOLDER / "marketplace.yaml")
LINES = [
    *(("simulate", "-f", POLICY, f"--limit={odd}") for odd in NUMBERS),
    *(("simulate", "-f", POLICY, f"--since={odd}") for odd in SPANS),
    *(("approve", "policy/p", "--record=https://a.example", "--as=bob", f"--generation={odd}") for odd in NUMBERS),
    *(("rollback", "policy/p", f"--to={odd}") for odd in NUMBERS),
    *(("webhooks", "retry", odd) for odd in NUMBERS),
    *(("people", act, odd) for odd in NUMBERS for act in ("key", "leave")),
    *(("books", "close", f"--date={odd}") for odd in DAYS),
    *(("books", "export", "-o/dev/null", f"--from={odd}", "--to=2026-11-30") for odd in DAYS),
    *(("books", "export", "-o/dev/null", "--from=2026-11-30", f"--to={odd}") for odd in DAYS),
    *(("books", "report", f"--as-of={odd}") for odd in TIMES),
]
EDGES = [
    ("simulate", "-f", POLICY, "--limit=1", "--since=1s"),
    ("simulate", "-f", POLICY, "--limit=2147483647", "--since=36500d"),
    ("books", "close", "--date=0001-01-01"),
    ("books", "close", "--date=9999-12-31"),
    ("books", "report", "--as-of=0001-01-01T00:00:00Z"),
    ("books", "report", "--as-of=2026-11-30T00:00:00+14:00"),
]


def ran(*words: str) -> None:
    call_command(*words, stdout=io.StringIO(), stderr=io.StringIO())


@pytest.mark.parametrize("words", LINES, ids=lambda words: " ".join(words)[:60])
def test_what_nobody_can_mean_is_told_in_one_line(words: tuple[str, ...]) -> None:
    with pytest.raises(CommandError) as refused:
        ran(*words)
    told = str(refused.value)
    assert told and "\n" not in told and "invalid" not in told and len(told) < 200, told
    assert refused.value.returncode != 0


@pytest.mark.parametrize("words", EDGES, ids=" ".join)
def test_the_least_and_the_most_that_can_be_said_are_taken(words: tuple[str, ...]) -> None:
    ran(*words)


def ours() -> Iterator[tuple[str, BaseCommand]]:
    for name, app in get_commands().items():
        if app in ("orders", "refunds"):
            yield name, load_command_class(app, name)


def test_every_command_of_ours_moves_no_terminal() -> None:
    assert {name for name, command in ours() if not isinstance(command, PlainCommand)} == set()


def actions(parser: ArgumentParser) -> Iterator[Action]:
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            for below in action.choices.values():
                yield from actions(below)
        elif action.dest not in ("verbosity", "help"):
            yield action


def test_no_command_takes_a_number_as_it_comes() -> None:
    """A type of ours bounds it: `int` takes -1, and what no column holds."""
    found = [(name, a.type) for name, c in ours() for a in actions(c.create_parser("manage.py", name)) if a.type]
    assert {name for name, *_ in found} >= {"simulate", "rollback", "approve", "webhooks", "people", "books"}
    for kind in {kind for _, kind in found} - {a_path, some_text}:
        for odd in ("-1", "9" * 5000, "x", ""):
            with pytest.raises(ArgumentTypeError):
                kind(odd)  # type: ignore[operator]


def test_of_options_given_twice_none_is_taken_silently_and_none_is_empty() -> None:
    """An unset variable of a shell, `-f "$FILE"`, is no word for all there is, or for where one stands."""
    unlike = {
        f"{name} {'/'.join(action.option_strings)}"
        for name, command in ours()
        for action in actions(command.create_parser("manage.py", name))
        if action.option_strings and action.nargs != 0 and action.dest not in OF_DJANGO
        if not isinstance(action, Once | Each)
    }
    assert unlike == set()


#: All that can be given once, by command, with what else it needs.
ONCE = [
    ("load_demo", "--output", "/dev/null"),
    ("audit", "pack", "RF-1", "-o", "/dev/null"),
    ("books", "close", "--date", "2026-11-30"),
    ("books", "close", "--channel", "default"),
    ("books", "verify", "--channel", "default"),
    ("books", "export", "--to=2026-11-30", "--from", "2026-11-30"),
    ("books", "export", "--from=2026-11-30", "--to", "2026-11-30"),
    ("books", "report", "--as-of", "2026-11-30T12:00:00Z"),
    ("books", "report", "--format", "table"),
    ("books", "report", "-o", "/dev/null"),
    ("webhooks", "list", "--channel", "default"),
    ("webhooks", "retry", "--dead", "--channel", "default"),
    ("people", "add", "X", "--channel=default", "--role", "shop"),
    ("people", "add", "X", "--channel=default", "--role=shop", "--username", "x"),
    ("simulate", "-f", POLICY),
    ("simulate", "-f", POLICY, "--channel", "default"),
    ("get", "policies", "-l", "a=b"),
    ("get", "policies", "-o", "yaml"),
]
EMPTY = [
    *ONCE,
    ("apply", "-f", "x"),
    ("apply", "-f", POLICY, "-f", "x"),
    ("delete", "-f", "x"),
    ("diff", "-f", "x"),
    ("people", "add", "X", "--role=shop", "--channel", "x"),
    ("get", "policies", "x"),
]


@pytest.mark.parametrize("words", ONCE, ids=" ".join)
def test_an_option_with_one_value_is_given_once(words: tuple[str, ...]) -> None:
    before = fingerprint()
    with pytest.raises(CommandError, match="it is given twice"):
        ran(*words, *words[-2:])
    assert fingerprint() == before


@pytest.mark.parametrize("words", EMPTY, ids=" ".join)
def test_an_empty_word_stands_for_nothing(words: tuple[str, ...], tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(FOLDER)
    before = fingerprint()
    with pytest.raises(CommandError) as refused:
        ran(*words[:-1], "")
    assert "\n" not in str(refused.value) and str(refused.value).startswith("Error: argument "), refused.value
    assert fingerprint() == before


def test_a_kind_with_a_slash_and_no_name_is_not_all_of_it() -> None:
    with pytest.raises(CommandError, match="policies/: say KIND, KIND/NAME or KIND NAME"):
        ran("get", "policies/")
