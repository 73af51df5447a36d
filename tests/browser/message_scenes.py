"""Every message as its reader sees it: the very files that `tests/unit/messages` holds the product to."""

from collections.abc import Callable
from functools import partial
from html import escape
from pathlib import Path

from playwright.sync_api import Page

GOLDEN = Path(__file__).parents[1] / "unit" / "messages" / "golden"
#: As the files name the language that a browser asks for.
LANGUAGES = {"en": "en", "zh-CN": "zh-hans"}
SMS_PAGE = """<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<style>body {{ font: 16px/1.5 sans-serif; margin: 16px; max-width: 420px; }} p {{ background: #e8f0fe; padding: .5em;
border-radius: 12px; overflow-wrap: anywhere; }} small {{ color: #555; }}</style>{messages}"""


def mail(name: str, page: Page, language: str) -> None:
    page.goto((GOLDEN / f"{name}.{LANGUAGES[language]}.email.html").as_uri())


def every_sms(page: Page, language: str) -> None:
    """All on one page: each is a line of text."""
    files = sorted(GOLDEN.glob(f"*.{LANGUAGES[language]}.sms.txt"))
    shown = [f"<small>{file.name}</small><p>{escape(file.read_text())}</p>" for file in files]
    page.set_content(SMS_PAGE.format(messages="".join(shown)))


Scene = Callable[[Page, str], None]
MAILS = sorted(file.name.removesuffix(".en.email.html") for file in GOLDEN.glob("*.en.email.html"))
SCENES: dict[str, Scene] = {f"mail-{name}": partial(mail, name) for name in MAILS}
SCENES["every-sms"] = every_sms
