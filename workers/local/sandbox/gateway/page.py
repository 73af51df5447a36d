"""The sandbox's page: what this is, and the ledger's newest refunds."""

from html import escape

from aiohttp import web

from workers.local.journal import Row
from workers.local.sandbox.gateway.ledger import Ledger, as_fact

SHOWN = 100
COLUMNS = ("created_at", "payment_reference", "number", "status", "amount_minor", "currency", "gateway_refund_id")
HEAD = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Refundry sandbox</title>
<style>body{font:16px/1.5 system-ui,sans-serif;margin:1rem auto;max-width:70rem;padding:0 1rem}
.scroll{overflow-x:auto}table{border-collapse:collapse}td,th{padding:.3rem .6rem;border-bottom:1px solid #ccc;
text-align:left;white-space:nowrap}</style>
<h1>Sandbox gateway</h1><p>A pretended payment gateway for development and tests: no real money moves here.
It can be told to be late, to fail and to time out; see <code>docs/sandbox.md</code>.
Raw: <a href="/gateway/ledger">ledger</a>.</p>"""


def render(ledger: Ledger) -> web.Response:
    """The page, with the newest refunds first."""
    refunds = ledger.refunds(None)
    newest = [as_fact(row) for row in reversed(refunds[-SHOWN:])]
    rows = "".join(_row(refund) for refund in newest) or '<tr><td colspan="7">No refunds yet.</td></tr>'
    head = "".join(f"<th>{name.replace('_', ' ')}</th>" for name in COLUMNS)
    table = f'<div class="scroll"><table><tr>{head}</tr>{rows}</table></div>'
    html = f"{HEAD}<h2>Refunds ({len(refunds)})</h2>{table}</html>"
    return web.Response(text=html, content_type="text/html")


def _row(refund: Row) -> str:
    cells = "".join(f"<td>{escape(str(refund[name]))}</td>" for name in COLUMNS)
    return f"<tr>{cells}</tr>"
