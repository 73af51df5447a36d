"""The closed days of an agent's channels, and their entries as files."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

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
        days = [_Day(close) for close in page]
        return show(request, "console/books.html", {"title": _("Books"), "days": days} | paged(request, page))


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


@dataclass(frozen=True, slots=True)
class _Day:
    """A closed day: what it is called, what is known of it, and how each account stood at its end."""

    close: DayClose

    @property
    def title(self) -> str:
        return f"{self.close.day} · {self.close.channel.slug}"

    @property
    def facts(self) -> list[tuple[str, str]]:
        told = [(_("Entries"), str(self.close.entries)), (_("Closed"), written.moment(self.close.closed_at))]
        return [*told, (_("Seal"), self.close.hash[:_SHOWN])]

    @property
    def files(self) -> list[Link]:
        return [Link(form.value.upper(), _file(self.close, form)) for form in Format]

    @property
    def balances(self) -> Table:
        heads = [_("Account"), *(str(head) for head in _BALANCES.values())]
        lines = [_line(balance) for balance in self.close.balances]
        numbers = frozenset(range(1, len(heads)))
        return Table(f"day-{self.close.pk}", _("Balances at the end of the day"), heads, lines, numbers)


#: Of an account, what stood at the end of a day.
_BALANCES = {
    "captured_minor": gettext_lazy("Captured"),
    "reserved_minor": gettext_lazy("Reserved"),
    "disputed_minor": gettext_lazy("Disputed"),
    "refunded_minor": gettext_lazy("Refunded"),
}


def _line(balance: dict[str, Any]) -> Line:
    currency, closing = balance["currency"], balance["closing"]
    sums = [closing.get(column, 0) for column in _BALANCES]
    amounts = [written.amount(minor, currency) if minor else "" for minor in sums]
    return Line([f"{balance['account']} · {currency}", *amounts])


def _file(close: DayClose, form: Format) -> str:
    return reverse("console:books_download", args=[close.channel.slug, str(close.day), form.value])


def _a_day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise NotFound("not_found", "There is nothing at this address.") from None
