"""Pictures of the pages and messages: `python -m tests.browser.screenshots [--all FOLDER] [scene ...]`.

Without `--all` the few that the docs show are drawn into docs/screenshots; with it every scene (or those named), in
both languages and widths. A scene is a function of `*_scenes` that brings a page to where its picture is taken;
`mail-<name>` is a mail.
"""

import argparse
from collections.abc import Iterable
from itertools import product
from pathlib import Path

from playwright.sync_api import Browser

from tests.browser import (
    closing_scenes,
    console_scenes,
    customer_scenes,
    message_scenes,
    money_scenes,
    policy_scenes,
    return_scenes,
    target_scenes,
    window_scenes,
)
from tests.browser.agents import Agent
from tests.browser.browsing import DESKTOP, PHONE, chromium, tab
from tests.browser.customers import Customer
from tests.processes import Stack
from tests.stories.shop import Shop

FOLDER = Path(__file__).parents[2] / "docs" / "screenshots"
LANGUAGES = ("en", "zh-CN")
SIZES = {"phone": PHONE, "desktop": DESKTOP}
#: (scene, language, size): what the docs show.
CHOSEN = (
    ("order", "en", "phone"),
    ("preview", "en", "phone"),
    ("courier", "zh-CN", "phone"),
    ("refunded", "en", "desktop"),
    ("front", "en", "desktop"),
    ("inbox", "zh-CN", "phone"),
    ("mail-pickup_booked", "en", "phone"),
    ("sandbox", "en", "desktop"),
    ("console-case", "en", "desktop"),
    ("console-refund_list", "zh-CN", "desktop"),
)
Scene = customer_scenes.Scene


def at_the_console(scene: console_scenes.Scene) -> Scene:
    return lambda customer: scene(Agent(customer.shop, customer.page))


def of_message(scene: message_scenes.Scene) -> Scene:
    return lambda customer: scene(customer.page, customer.language)


CUSTOMER = (
    *customer_scenes.SCENES,
    *closing_scenes.SCENES,
    *money_scenes.SCENES,
    *return_scenes.CUSTOMER,
    *target_scenes.CUSTOMER,
    *window_scenes.SCENES,
)
SCENES: dict[str, Scene] = {scene.__name__: scene for scene in CUSTOMER}
SCENES |= {name: of_message(scene) for name, scene in message_scenes.SCENES.items()}
CONSOLE = (*console_scenes.SCENES, *return_scenes.CONSOLE, *policy_scenes.SCENES)
SCENES |= {f"console-{scene.__name__}": at_the_console(scene) for scene in CONSOLE}


def draw(browser: Browser, shop: Shop, folder: Path, wanted: Iterable[tuple[str, str, str]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, language, size in wanted:
        with tab(browser, language=language, size=SIZES[size]) as opened:
            SCENES[name](Customer(shop, opened.page, language))
            opened.page.screenshot(path=folder / f"{name}-{language[:2]}-{size}.png", full_page=True)
            opened.errors.clear()


def main() -> None:
    parser = argparse.ArgumentParser(prog="screenshots", description=__doc__)
    parser.add_argument("--all", type=Path, metavar="FOLDER")
    parser.add_argument("scenes", nargs="*", choices=[[], *SCENES])
    told = parser.parse_args()
    every = product(told.scenes or SCENES, LANGUAGES, SIZES)
    with Stack(own_postgres=True).running() as stack, chromium() as browser:
        draw(browser, Shop(stack), told.all or FOLDER, every if told.all else CHOSEN)


if __name__ == "__main__":
    main()
