"""The sandbox's front: both sides beside each other, and the way to a payment or a parcel that is not listed."""

from collections.abc import Iterable

from aiohttp import web

from workers.local.page import Page, link

REFRESH_SECONDS = 5
INTRODUCTION = """<h1>Sandbox</h1>
<p>A pretended payment gateway and a pretended courier: no real money moves, and nobody comes to a door. Both do what
they were told, and what the buttons say; the engine hears of it by webhook.</p>"""
SEARCH = """<form class="fields" action="/payments"><label>Payment <input name="reference" required
placeholder="pay-demo-eur-1"></label><button>Open</button></form>
<form class="fields" action="/parcels"><label>Waybill or tracking number <input name="waybill" required
placeholder="DEMO-EUR-2-1"></label><button>Open</button></form>"""


def overview(parts: Iterable[str], *, still: bool) -> web.Response:
    """The newest of each side; `still`: not loaded again by itself."""
    ways = [
        ("/find", "Another payment or parcel"),
        ("/" if still else "/?still=1", "Follow" if still else "Stand still"),
        ("/gateway/ledger", "Gateway, raw"),
        ("/courier/ledger", "Courier, raw"),
    ]
    chips = "".join(link(path, text) for path, text in ways)
    body = (
        f'{INTRODUCTION}<nav class="chips" aria-label="More">{chips}</nav><div class="columns">{"".join(parts)}</div>'
    )
    return Page("Refundry sandbox", body, 0 if still else REFRESH_SECONDS).response()


async def find(_request: web.Request) -> web.Response:
    """Where a payment or a parcel is named; it may be one that nobody has heard of yet."""
    return Page("Find", f"<p>{link('/', 'Sandbox')}</p><h1>Another payment or parcel</h1>{SEARCH}").response()
