"""The books at the command line: close days, check them, export them."""

import sys
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from datetime import date, datetime
from typing import Any

from django.core.management.base import CommandError, CommandParser

from orders import clock
from orders.errors import Problem
from orders.models import Channel
from orders.roles import SYSTEM
from refunds.management.arguments import Once, a_day, a_moment
from refunds.management.book_arguments import channels_wanted, told
from refunds.management.book_reports import REPORT_FORMATS, report_text
from refunds.management.plain import PlainCommand
from refunds.selectors.books_closes import verify
from refunds.services.bookkeeping import ExportWish, Format, export_entries, set_time_zone
from refunds.services.closing import close_days


class Command(PlainCommand):
    help = "Close the days of channels, check what was closed, export the ledger, and tell how things stood."

    def add_arguments(self, parser: CommandParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        close = acts.add_parser("close", help="close all days that are over; what is closed already stays as it is")
        date = close.add_argument("--date", type=a_day, metavar="DAY", action=Once)
        date.help = "up to this day only, such as 2026-11-30"
        acts.add_parser("verify", help="read all closed days again; exit 1 where one is not what was sealed")
        export = acts.add_parser("export", help="the entries of closed days; the same bytes whenever it is run")
        export.add_argument("--from", dest="first", type=a_day, required=True, metavar="DAY", action=Once)
        to = export.add_argument("--to", dest="last", type=a_day, required=True, metavar="DAY", action=Once)
        to.help = "included"
        form = export.add_argument("--format", choices=[f.value for f in Format], default="csv", action=Once)
        form.help = "json: a line for each"
        report = acts.add_parser("report", help="liabilities, unknown outcomes and unproven payments at a moment")
        report.add_argument("--as-of", type=a_moment, metavar="TIME", action=Once, help="RFC 3339; default: now")
        report.add_argument("--format", choices=REPORT_FORMATS, default="table", action=Once)
        for act in (export, report):
            act.add_argument("-o", "--output", metavar="FILE", action=Once, help="default: standard output")
        for act in (close, acts.choices["verify"], export, report):
            act.add_argument("--channel", metavar="SLUG", action=Once, help="default: all channels")
        zone = acts.add_parser("zone", help="whose midnight ends a channel's days, from the next one on")
        zone.add_argument("channel", metavar="SLUG")
        zone.add_argument("zone", metavar="ZONE", help="an IANA name such as Europe/Berlin")

    def handle(self, *_: Any, act: str, channel: str | None = None, **named: Any) -> None:
        given = {name: named[name] for name in _GIVEN[act]}
        try:
            getattr(self, act)(channels_wanted(channel), **given)
        except Problem as problem:
            raise CommandError(told(problem)) from problem

    def close(self, channels: Sequence[Channel], *, date: date | None) -> None:
        for channel in channels:
            for closed in close_days(channel, up_to=date):
                seal = f"{closed.entries} entries, sum {closed.sum_minor}, {closed.hash}"
                self.stdout.write(f"{channel.slug} {closed.day}: {seal}")

    def verify(self, channels: Sequence[Channel]) -> None:
        now = clock.now()
        wrong = [f"{each.channel} {each.day}: {each.what}" for c in channels for each in verify(c, now=now)]
        if wrong:
            raise CommandError("\n".join(wrong))
        self.stdout.write(f"The books of {', '.join(c.slug for c in channels)} are as they were closed.")

    def export(self, channels: Sequence[Channel], *, first: date, last: date, format: str, output: str | None) -> None:
        wish = ExportWish([channel.pk for channel in channels], first, last, Format(format))
        _write(export_entries(wish, actor=SYSTEM), output)

    def report(self, channels: Sequence[Channel], *, as_of: datetime | None, format: str, output: str | None) -> None:
        _write([report_text(channels, as_of=as_of, format=format).encode() + b"\n"], output)

    def zone(self, channels: Sequence[Channel], *, zone: str) -> None:
        set_time_zone(channels[0], zone)
        self.stdout.write(f"The days of {channels[0].slug} end at midnight in {zone}, from the next one on.")


def _write(chunks: Iterable[bytes], output: str | None) -> None:
    try:
        with open(output, "wb") if output else nullcontext(sys.stdout.buffer) as file:
            file.writelines(chunks)
    except OSError as error:
        raise CommandError(f"--output: {error}") from error


_GIVEN = {
    "close": ("date",),
    "verify": (),
    "export": ("first", "last", "format", "output"),
    "report": ("as_of", "format", "output"),
    "zone": ("zone",),
}
