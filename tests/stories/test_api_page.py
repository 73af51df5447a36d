"""The page for shops, with all processes running: what it shows is what a shop sees."""

import pytest

from tests.pages import API_PAGE, play
from tests.processes import Stack

pytestmark = pytest.mark.xdist_group("stories")


def test_the_page_is_true_while_the_engine_runs() -> None:
    """On processes of its own: the page shows the first events of a shop."""
    with Stack().running() as stack:
        play(API_PAGE, base=f"{stack.base_url}/api/v1", key=stack.keys["shop"][0])
