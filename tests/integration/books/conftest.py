from collections.abc import Iterator

import pytest
from django.db import connection


@pytest.fixture
def own_clock(transactional_db: None) -> Iterator[None]:
    """The test sets the time; it is ours again afterwards."""
    yield
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM refundry_clock_offset")
