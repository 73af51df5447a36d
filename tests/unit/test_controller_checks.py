"""The page of the controller checks cannot go stale: it names tests that exist, and these name their checks."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from workers.local.product import CHECKOUT

PAGE = CHECKOUT / "docs" / "controller-checks.md"
ROW = re.compile(r"^\| (\d+) \| (.+?) \| (.+?) \| (.+?) \|$", re.MULTILINE)
TEST = re.compile(r"`([\w/]+\.py)::(\w+)`")
UNTESTED = re.compile(r"^(does not apply: .+|policies and channels \(later\))$")
#: "Check 9", "controller checks 3 and 7", "checks 28, 29, 31"
CLAIM = re.compile(r"[Cc]hecks? (\d+(?:(?:, | and |, and )\d+)*)")

Test = tuple[str, str]


def rows() -> list[tuple[int, str, str]]:
    """Number, tests and upstream origin of each check."""
    return [(int(number), tests, origin) for number, _, tests, origin in ROW.findall(PAGE.read_text())]


def mapped() -> list[tuple[int, Test, str]]:
    """Each check with each of its tests, and where it comes from."""
    return [(number, test, origin) for number, tests, origin in rows() for test in TEST.findall(tests)]


@cache
def docstrings(file: str) -> dict[str, str]:
    """Of the tests in a file, in one line each; that of the module under its own name."""
    tree = ast.parse((CHECKOUT / file).read_text())
    tests = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    found = {node.name: ast.get_docstring(node) or "" for node in tests}
    return {name: " ".join(text.split()) for name, text in (found | {file: ast.get_docstring(tree) or ""}).items()}


def claims() -> Iterator[tuple[int, Test]]:
    """Each number that a test, or a file of tests, says it is about."""
    for path in sorted((CHECKOUT / "tests").rglob("test_*.py")):
        if path != Path(__file__) and CLAIM.search(path.read_text()):
            file = str(path.relative_to(CHECKOUT))
            for name, text in docstrings(file).items():
                for numbers in CLAIM.findall(text):
                    yield from ((int(number), (file, name)) for number in re.findall(r"\d+", numbers))


def test_each_check_is_there_once_with_its_tests_or_why_it_has_none() -> None:
    assert [number for number, *_ in rows()] == list(range(1, 81))
    untold = [number for number, tests, _ in rows() if not TEST.findall(tests) and not UNTESTED.match(tests)]
    assert untold == []


def test_each_test_that_is_named_exists_and_names_the_check_and_where_it_comes_from() -> None:
    wrong = []
    for number, (file, name), origin in mapped():
        text = docstrings(file).get(name, "no such test")
        names = ["no upstream test"] if origin == "none" else origin.split(", ")
        if (number, (file, name)) not in _claims or not any(each in text for each in names):
            wrong.append(f"{number}: {file}::{name}: {text}")
    assert wrong == []


def test_no_test_names_a_check_that_does_not_name_it() -> None:
    stray = _claims - {(number, test) for number, test, _ in mapped()}
    assert sorted(stray) == []


_claims = set(claims())
