"""The books over HTTP: closed days, their entries as a stream, and how things stood."""

from datetime import date
from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from orders.errors import Invalid
from orders.rest.answers import answer
from orders.rest.door import Door
from orders.rest.fields import Timestamp
from orders.rest.pagination import page, read_page
from orders.rest.parameters import query_text
from orders.rest.schema import operation
from refunds.api import queries, schema
from refunds.api.book_shapes import ClosePageShape, EntryShape, ReportShape, show_close
from refunds.services.bookkeeping import ExportWish, Format, export_entries, list_closes, report_at

FROM = OpenApiParameter("from", OpenApiTypes.DATE, required=True, description="The first day, in the channel's zone.")
TO = OpenApiParameter("to", OpenApiTypes.DATE, required=True, description="The last day; it has to be closed.")
FORMAT = OpenApiParameter("format", enum=[f.value for f in Format], description="csv, or json: a line for each entry.")
AS_OF = OpenApiParameter("as_of", OpenApiTypes.DATETIME, description="Any past moment; default: now.")


class BookCloses(Door):
    """GET /books/closes"""

    @operation(
        operation_id="list_book_closes",
        parameters=[schema.CHANNEL, *schema.PAGE],
        responses={200: ClosePageShape} | schema.problems(403, 404),
    )
    def get(self, request: Request) -> HttpResponse:
        """The closed days of a channel, newest first, with what each account opened and closed with."""
        wish = read_page(request._request, (str,))
        before = _a_day(wish.after[0], "cursor") if wish.after else None
        channel, actor = self.channel(), self.caller.actor
        found = list_closes([channel.id], before=before, limit=wish.to_read, actor=actor)
        return answer(page(found, wish, show=show_close, key=lambda close: str(close.day)))


class BookEntries(Door):
    """GET /books/entries"""

    @operation(
        operation_id="export_book_entries",
        parameters=[schema.CHANNEL, FROM, TO, FORMAT],
        responses={(200, "text/csv"): OpenApiTypes.STR, (200, "application/x-ndjson"): EntryShape(many=True)}
        | schema.problems(403, 404, 409),
    )
    def get(self, request: Request) -> HttpResponseBase:
        """The ledger entries of closed days, as a stream: the same bytes whenever it is asked for again."""
        django = request._request
        wish = ExportWish(
            channels=queries.channel_ids(self),
            first=_day(django, "from"),
            last=_day(django, "to"),
            format=_format(django),
        )
        chunks = export_entries(wish, actor=self.caller.actor)
        headers = {"Content-Disposition": f'attachment; filename="{wish.file_name}"'}
        return StreamingHttpResponse(chunks, content_type=wish.format.content_type, headers=headers)

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        """What is wanted stands in the address."""
        return super().perform_content_negotiation(request, force=True)


class BookReport(Door):
    """GET /books/report"""

    @operation(
        operation_id="get_book_report",
        parameters=[schema.CHANNEL, AS_OF],
        responses={200: ReportShape} | schema.problems(403, 404),
    )
    def get(self, request: Request) -> HttpResponse:
        """What was reserved and had not moved, sent without word of it, or paid outside without proof, at a moment."""
        text = query_text(request._request, "as_of")
        try:
            as_of = Timestamp().run_validation(text) if text else None
        except ValidationError:
            raise Invalid.of("as_of", "not_a_time", "as_of must be a time such as 2026-05-01T12:00:00Z.") from None
        found = report_at(queries.channel_ids(self), as_of=as_of, actor=self.caller.actor)
        return answer(found.to_json())


def _day(request: HttpRequest, name: str) -> date:
    text = query_text(request, name)
    if text is None:
        raise Invalid.of(name, "required", f"Name a day, ?{name}=2026-11-30.")
    return _a_day(text, name)


def _a_day(text: str, name: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise Invalid.of(name, "not_a_day", f"{name} must be a day such as 2026-11-30.") from None


def _format(request: HttpRequest) -> Format:
    text = query_text(request, "format") or Format.CSV.value
    if text not in set(Format):
        raise Invalid.of("format", "unknown_value", "format must be csv or json.")
    return Format(text)
