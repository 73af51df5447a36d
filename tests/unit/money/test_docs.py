"""The page about money says what the code does."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "money.md"


def test_the_worked_example_is_true():
    results = doctest.testfile(str(PAGE), module_relative=False)
    assert (results.failed, results.attempted > 5) == (0, True)
