"""The closed days of an agent's channels, and their entries as files."""

from datetime import date

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _

from orders.errors import NotFound
from orders.snapshot import snapshot
from refunds.console import written
from refunds.console.access import agent
from refunds.console.paging import page_of, paged
from refunds.console.site import show
from refunds.console.tables import Line, Link, Table
from refunds.models import DayClose
from refunds.services.bookkeeping import ExportWish, Format, closes_of, export_entries

#: So much of a seal is enough to compare by eye; the API tells all of it.
_SHOWN = 12


def books(request: HttpRequest) -> HttpResponse:
    """GET /console/books/?page="""
    caller = agent(request).caller
    with snapshot():
        page = page_of(request, closes_of(caller.channel_ids, actor=caller.actor))
        heads = [_("Day"), _("Channel"), _("Entries"), _("Closing balances"), _("Seal"), _("Closed"), _("Files")]
        table = Table("books", "", heads, [_line(close) for close in page], frozenset({2}))
        return show(request, "console/books.html", {"title": _("Books"), "table": table} | paged(request, page))


def download(request: HttpRequest, channel: str, day: str, form: str) -> HttpResponseBase:
    """GET /console/books/{channel}/{day}/{csv or json}/"""
    caller = agent(request).caller
    if channel not in caller.channels or form not in set(Format):
        raise NotFound("not_found", "There is nothing at this address.")
    wanted = _a_day(day)
    wish = ExportWish([caller.channels[channel]], wanted, wanted, Format(form))
    chunks = export_entries(wish, actor=caller.actor)
    headers = {"Content-Disposition": f'attachment; filename="{channel}_{wish.file_name}"'}
    return StreamingHttpResponse(chunks, content_type=wish.format.content_type, headers=headers)


def _line(close: DayClose) -> Line:
    sums = [_balance(balance) for balance in close.balances]
    return Line(
        [
            str(close.day),
            close.channel.slug,
            str(close.entries),
            "; ".join(filter(None, sums)),
            close.hash[:_SHOWN],
            written.moment(close.closed_at),
            [Link(form.value.upper(), _file(close, form)) for form in Format],
        ]
    )


def _balance(balance: dict[str, dict[str, int]]) -> str:
    """What was captured and has gone back of it, by account."""
    currency, closing = str(balance["currency"]), balance["closing"]
    told = [
        (_("captured"), closing.get("captured_minor", 0)),
        (_("reserved"), closing.get("reserved_minor", 0)),
        (_("refunded"), closing.get("refunded_minor", 0)),
    ]
    amounts = ", ".join(f"{name} {written.amount(minor, currency)}" for name, minor in told if minor)
    return f"{balance['account']}: {amounts}" if amounts else ""


def _file(close: DayClose, form: Format) -> str:
    return reverse("console:books_download", args=[close.channel.slug, str(close.day), form.value])


def _a_day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise NotFound("not_found", "There is nothing at this address.") from None
