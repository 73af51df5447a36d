"""The one business clock: PostgreSQL's, in web, worker and scheduler alike (UTC).

`refundry_now()` is `clock_timestamp()` plus an offset that only test databases may set.
"""

from datetime import datetime

from refunds.records import execute


def now() -> datetime:
    """The business time, aware, in UTC."""
    [row] = execute("SELECT refundry_now()").fetchall()
    moment: datetime = row[0]
    return moment
