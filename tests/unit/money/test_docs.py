"""The page about money says what the code does."""

import doctest
import re
from pathlib import Path

from tests.unit.money.test_amounts import WHOLE_IN_CLDR

PAGE = Path(__file__).parents[3] / "docs" / "money.md"


def test_the_worked_example_is_true():
    results = doctest.testfile(str(PAGE), module_relative=False)
    assert (results.failed, results.attempted > 5) == (0, True)


def test_the_currencies_that_differ_from_iso_are_all_named():
    assert re.findall(r"\b[A-Z]{3}\b", PAGE.read_text().split("only here:")[1].split(".")[0]) == WHOLE_IN_CLDR.split()
