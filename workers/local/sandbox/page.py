"""The sandbox's page: what this is, and the newest rows of each side."""

from dataclasses import dataclass
from html import escape

from aiohttp import web

from workers.local.journal import Row

SHOWN = 100
HEAD = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Refundry sandbox</title>
<style>body{font:16px/1.5 system-ui,sans-serif;margin:1rem auto;max-width:70rem;padding:0 1rem}
.scroll{overflow-x:auto}table{border-collapse:collapse}td,th{padding:.3rem .6rem;border-bottom:1px solid #ccc;
text-align:left;white-space:nowrap}</style>
<h1>Sandbox gateway and courier</h1><p>A pretended payment gateway and courier for development and tests: no real money
moves here, and nobody comes to a door. They can be told to be late, to fail and to time out; see
<code>docs/sandbox.md</code>. Raw: <a href="/gateway/ledger">gateway</a>, <a href="/courier/ledger">courier</a>.</p>"""


@dataclass(frozen=True)
class Section:
    """One table: its rows oldest first."""

    title: str
    columns: tuple[str, ...]
    rows: list[Row]

    def html(self) -> str:
        """The newest rows first."""
        newest = self.rows[: -SHOWN - 1 : -1]
        rows = "".join(self._row(row) for row in newest)
        empty = f'<tr><td colspan="{len(self.columns)}">None yet.</td></tr>'
        head = "".join(f"<th>{name.replace('_', ' ')}</th>" for name in self.columns)
        table = f'<div class="scroll"><table><tr>{head}</tr>{rows or empty}</table></div>'
        return f"<h2>{self.title} ({len(self.rows)})</h2>{table}"

    def _row(self, row: Row) -> str:
        cells = "".join(f"<td>{escape(str(row[name]))}</td>" for name in self.columns)
        return f"<tr>{cells}</tr>"


def render(*sections: Section) -> web.Response:
    """The page."""
    html = "".join([HEAD, *(section.html() for section in sections), "</html>"])
    return web.Response(text=html, content_type="text/html")
