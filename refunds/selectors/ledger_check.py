"""Every payment share against the sum of its ledger entries, a page at a time: however many there are, memory stays."""

from collections.abc import Iterator
from dataclasses import dataclass

from refunds.models.ledger import LEDGER_COLUMNS
from refunds.records import execute

COLUMNS = sorted({column for moves in LEDGER_COLUMNS.values() for column, _ in moves})
PAGE = 1000


def sum_of(column: str) -> str:
    """SQL: what the column of a share should be, over its `entry` rows."""
    signs = {kind: sign for kind, moves in LEDGER_COLUMNS.items() for of, sign in moves if of == column}
    cases = " ".join(f"WHEN '{kind}' THEN {sign} * entry.amount_minor" for kind, sign in signs.items())
    return f"coalesce(sum(CASE entry.kind {cases} END), 0)::bigint"


_CHECK = f"""
SELECT share.id, share.order_id, payment.account || ':' || payment.reference,
    {", ".join(f"share.{column}" for column in COLUMNS)}, booked.*
FROM (SELECT * FROM orders_paymentshare WHERE id > %s ORDER BY id LIMIT %s) share
JOIN orders_payment payment ON payment.id = share.payment_id
CROSS JOIN LATERAL (
    SELECT {", ".join(map(sum_of, COLUMNS))} FROM refunds_ledgerentry entry WHERE entry.share_id = share.id
) booked
ORDER BY share.id
"""


@dataclass(frozen=True, slots=True)
class Difference:
    """A column of a share that is not the sum of its entries, in minor units."""

    share_id: int
    order_id: int
    payment: str
    column: str
    stored_minor: int
    booked_minor: int

    def __str__(self) -> str:
        name = self.column.removesuffix("_minor")
        return (
            f"share {self.share_id} of {self.payment}: {name} is {self.stored_minor}, its entries {self.booked_minor}"
        )


@dataclass(frozen=True, slots=True)
class Checked:
    """A page of shares: how many, the last one's id, and what differs."""

    count: int
    last_id: int
    differences: tuple[Difference, ...]


def check_page(after_id: int, *, limit: int = PAGE) -> Checked:
    """The shares that follow this one. One statement, so that what others commit meanwhile is seen whole or not."""
    rows = execute(_CHECK, [after_id, limit]).fetchall()
    found = tuple(difference for row in rows for difference in _differences(row))
    return Checked(len(rows), rows[-1][0] if rows else after_id, found)


def check_all() -> Iterator[Checked]:
    """Page after page to the end."""
    page = check_page(0)
    while page.count:
        yield page
        page = check_page(page.last_id)


def _differences(row: tuple[int | str, ...]) -> Iterator[Difference]:
    share_id, order_id, payment, *sums = row
    stored, booked = sums[: len(COLUMNS)], sums[len(COLUMNS) :]
    for column, is_minor, should_minor in zip(COLUMNS, stored, booked, strict=True):
        if is_minor != should_minor:
            yield Difference(int(share_id), int(order_id), str(payment), column, int(is_minor), int(should_minor))
