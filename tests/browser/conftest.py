"""The product as real processes, and a browser at it. The browser ends with each module: while it lives, the event
loop it brings keeps Django's own database code from running in this process.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial

import pytest
from playwright.sync_api import Browser

from tests.browser.browsing import Tab, chromium, tab
from tests.processes import Stack
from tests.stories.shop import Shop

OpenTab = Callable[..., AbstractContextManager[Tab]]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    with Stack().running() as running:
        yield running


@pytest.fixture(scope="session")
def shop(stack: Stack) -> Shop:
    return Shop(stack)


@pytest.fixture
def open_tab(browser: Browser) -> OpenTab:
    """`with open_tab(language="zh-CN", size=DESKTOP, script=False) as tab`."""
    return partial(tab, browser)
