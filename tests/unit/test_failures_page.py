"""The page of failures names tests that exist: a row without one, or with one that is gone, is found here."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
ROWS = [
    line.strip("|").split("|")
    for line in (ROOT / "docs" / "failures.md").read_text().splitlines()
    if line.startswith("| ") and not line.startswith("| what happens")
]
#: A file, a test in it, and one of its cases.
REFERENCE = re.compile(r"`([\w/]+\.py)::(\w+)(?:\[([^]]+)\])?`")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].strip())
def test_a_row_s_tests_are_there(row: list[str]):
    references = REFERENCE.findall(row[-1])
    assert references
    for file, test, case in references:
        names, words = _told_by(TESTS / file)
        assert test in names
        assert not case or case in words


def test_every_row_is_read():
    assert len(ROWS) > 25


@cache
def _told_by(path: Path) -> tuple[set[str], set[object]]:
    """The functions of a file, and its words."""
    nodes = [*ast.walk(ast.parse(path.read_text()))]
    return (
        {node.name for node in nodes if isinstance(node, ast.FunctionDef)},
        {node.value for node in nodes if isinstance(node, ast.Constant)},
    )
