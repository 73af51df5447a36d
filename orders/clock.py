"""The one business clock: PostgreSQL's, in web, worker and scheduler alike (UTC).

`refundry_now()` is `clock_timestamp()` plus an offset that only test databases may set.
"""

from datetime import datetime

from django.db import connection


def now() -> datetime:
    """The business time, aware, in UTC."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT refundry_now()")
        return cursor.fetchone()[0]
