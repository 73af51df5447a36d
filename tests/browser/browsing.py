"""A real browser: Debian's Chromium, driven by Playwright; what every page is held to while it is used."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, sync_playwright

PHONE: ViewportSize = {"width": 390, "height": 844}
DESKTOP: ViewportSize = {"width": 1280, "height": 900}
INSTALL = "apt-get install chromium-headless-shell fonts-noto-cjk"
#: The one without windows first: chromium draws its own pages around each tab too, 0.6 s of a core.
BROWSERS = ("chromium-headless-shell", "chromium")
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
WAIT_MS = 20_000


@contextmanager
def chromium() -> Iterator[Browser]:
    """Skips the test where there is none, unless REQUIRE_BROWSER says that there has to be one."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        (pytest.fail if os.environ.get("REQUIRE_BROWSER") == "1" else pytest.skip)(f"no Chromium here: {INSTALL}")
    options = ["--no-sandbox"] if os.getuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=options)
        yield browser
        browser.close()


@dataclass
class Tab:
    """One person's browser, by his language and device. `errors` is whatever the console complains of."""

    context: BrowserContext
    page: Page
    errors: list[str] = field(default_factory=list)

    def accessible(self) -> list[str]:
        """What axe finds wrong with the page as it is now."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE)
        return self._found("document")

    def found_in(self, part: str) -> list[str]:
        """What axe finds wrong with this part of it, once the page was looked at."""
        return self._found(f"'{part}'")

    def _found(self, where: str) -> list[str]:
        found = self.page.evaluate(f"() => axe.run({where}, {{resultTypes: ['violations']}})")["violations"]
        return [f"{one['id']}: {[node['target'] for node in one['nodes']]}" for one in found]

    def told_off(self, *expected: str) -> None:
        """These complaints are meant to be there, as of a page answered with 422."""
        self.errors = [error for error in self.errors if not any(text in error for text in expected)]


@contextmanager
def tab(
    browser: Browser, *, language: str = "en", size: ViewportSize = PHONE, script: bool = True, **more: Any
) -> Iterator[Tab]:
    """Closed at the end, when its console must have been silent."""
    context = browser.new_context(
        locale=language, viewport=size, java_script_enabled=script, timezone_id="Europe/Berlin", **more
    )
    context.set_default_timeout(WAIT_MS)
    opened = Tab(context, context.new_page())
    page = opened.page
    page.on("console", lambda message: opened.errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: opened.errors.append(str(error)))
    try:
        yield opened
        assert opened.errors == []
    finally:
        context.close()
