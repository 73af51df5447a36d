"""The names of files that the pages for people mention are names of files."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
TOPS = "config|docs|orders|refunds|templates|tests|workers|benchmarks|locale"


def named(text: str) -> Iterator[str]:
    """Every path in code, with its braces spelled out."""
    for path in re.findall(rf"`((?:{TOPS})/[\w./{{}},-]*)`", text):
        before, inner, after = (
            re.fullmatch(r"([^{]*)\{?([^}]*)\}?(.*)", path).groups() if "{" in path else (path, "", "")
        )
        yield from (f"{before}{one}{after}" for one in inner.split(","))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_that_a_page_names_exists(page: Path) -> None:
    assert [path for path in named(page.read_text()) if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []
