"""How the local peers' pages are made: plain HTML from the server, one stylesheet, no script, nothing inline."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from urllib.parse import quote, urlsplit

from aiohttp import web

STYLE = Path(__file__).with_name("page.css")
HTML = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>
<link rel="stylesheet" href="/page.css"><link rel="icon" href="data:,"><body><main>{body}</main></body></html>"""
TIME = re.compile(r"\d{4}-\d\d-\d\dT")
POLICY = "default-src 'none'; style-src 'self'; img-src data:; frame-src 'self'; form-action 'self'; base-uri 'none'"


@dataclass(frozen=True)
class Page:
    """`refresh`: loaded again after so many seconds; 0: stays, as somebody may be typing. The body is HTML."""

    title: str
    body: str
    refresh: int = 0

    def response(self) -> web.Response:
        again = {"Refresh": str(self.refresh)} if self.refresh else {}
        html = HTML.format(title=escape(self.title), body=self.body)
        return web.Response(text=html, content_type="text/html", headers={"Content-Security-Policy": POLICY} | again)


def style_route() -> web.RouteDef:
    async def show_style(_request: web.Request) -> web.Response:
        return web.Response(text=STYLE.read_text(encoding="utf-8"), content_type="text/css")

    return web.get("/page.css", show_style)


def back(request: web.Request) -> web.HTTPSeeOther:
    """To where a form was sent from."""
    came_from = urlsplit(request.headers.get("Referer", ""))
    query = f"?{came_from.query}" if came_from.query else ""
    return web.HTTPSeeOther(f"/{came_from.path.lstrip('/')}{query}")


def link(path: str, text: str, *, current: bool = False) -> str:
    here = ' aria-current="page"' if current else ""
    return f'<a href="{escape(path)}"{here}>{escape(text)}</a>'


def badge(status: str, text: str = "") -> str:
    """Its colour is the status's, and by itself its text too."""
    return f'<span class="badge {escape(status)}">{escape(text or status.replace("_", " "))}</span>'


def when(time: str) -> str:
    return f'<small class="when">{escape(to_second(time))}</small>'


def to_second(time: str) -> str:
    """An RFC 3339 time as people read it."""
    return time[:19].replace("T", " ")


def buttons(actions: Iterable[tuple[str, str]]) -> str:
    """One form for each (address, label)."""
    forms = "".join(
        f'<form method="post" action="{escape(action)}"><button>{escape(label)}</button></form>'
        for action, label in actions
    )
    return f'<div class="buttons">{forms}</div>' if forms else ""


def rows(items: Iterable[str]) -> str:
    inside = "".join(f"<li>{item}</li>" for item in items)
    return f'<ul class="rows">{inside}</ul>' if inside else '<p class="soft">None yet.</p>'


def facts(told: Mapping[str, str]) -> str:
    """What is known, without what is empty; the values are HTML."""
    inside = "".join(f"<dt>{escape(name)}</dt><dd>{value}</dd>" for name, value in told.items() if value)
    return f"<dl>{inside}</dl>"


def table(columns: tuple[str, ...], found: Iterable[Mapping[str, object]]) -> str:
    """The newest first."""
    lines = ["".join(f"<td>{escape(_cell(row[name]))}</td>" for name in columns) for row in found]
    head = "".join(f"<th>{escape(name.replace('_', ' '))}</th>" for name in columns)
    inside = "".join(f"<tr>{line}</tr>" for line in reversed(lines))
    if not lines:
        return '<p class="soft">None.</p>'
    return f'<div class="scroll" tabindex="0"><table><tr>{head}</tr>{inside}</table></div>'


def _cell(value: object) -> str:
    text = "" if value is None else str(value)
    return to_second(text) if TIME.match(text) else text


def path_of(*parts: str) -> str:
    """An address of these parts, each whatever it is."""
    return "/" + "/".join(quote(part, safe="") for part in parts)
