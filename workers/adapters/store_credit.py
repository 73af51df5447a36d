"""Store credit as a payment gateway of our own: what is refunded to it is an entry in its ledger, made at once.

It has no webhooks, since it leaves nothing open. Its rows are written by one thread of the process, on a connection
that is closed after each call, so that the pump's many call threads never hold one each.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLate
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from django.db import DatabaseError, InterfaceError, connection

from refunds.models import StoreCreditEntry
from refunds.selectors.store_credit import entries_since, entry_under
from refunds.services.store_credit import NotGiven, give
from workers.ports import (
    CANNOT_VOID,
    NO_LIMITS,
    Accepted,
    BadSignature,
    Budget,
    Capabilities,
    Found,
    GatewayEvent,
    GatewayFact,
    GatewayStatus,
    Limits,
    LookUp,
    Movement,
    NotSent,
    RefundListing,
    RefundPage,
    Refused,
    Reply,
    Unknown,
)

PAGE = 100
#: A number is known for ever, and a look-up sees all that was committed before it.
CAPABILITIES = Capabilities(key_lifetime_seconds=10 * 365 * 86_400, settle_seconds=1.0)

T = TypeVar("T")


class StoreCreditGateway:
    """The one behind every account of this adapter."""

    def __init__(self, limits: Limits = NO_LIMITS) -> None:
        self.capabilities = replace(CAPABILITIES, limits=limits)
        self._rows = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store-credit")

    def refund(self, movement: Movement, *, budget: Budget) -> Reply:
        """Give it, once under its number."""

        def given() -> Reply:
            entry = give(movement.number, amount_minor=movement.amount_minor, currency=movement.currency)
            return Refused(entry.code, entry.detail) if isinstance(entry, NotGiven) else Accepted(_fact(entry))

        return self._within(budget, given)

    def void(self, movement: Movement, *, budget: Budget) -> Reply:
        return Refused(CANNOT_VOID, "store credit is never held")

    def look_up_void(self, movement: Movement, *, budget: Budget) -> LookUp:
        return Found()

    def look_up(self, payment_reference: str, number: str, *, budget: Budget) -> LookUp:
        """The entry under our number, if there is one."""

        def found() -> Found:
            entry = entry_under(number)
            return Found((_fact(entry),) if entry else ())

        return self._within(budget, found)

    def list_refunds(self, since: datetime, cursor: str, *, budget: Budget) -> RefundListing:
        """A page of all that was given since, oldest first."""

        def page() -> RefundPage:
            entries = entries_since(since, int(cursor or 0), limit=PAGE)
            more = str(entries[-1].pk) if len(entries) == PAGE else ""
            return RefundPage(tuple(_fact(entry) for entry in entries), next_cursor=more)

        return self._within(budget, page)

    def parse_webhook(self, headers: Mapping[str, str], body: bytes) -> tuple[GatewayEvent, ...]:
        raise BadSignature("store credit sends no webhooks")

    def _within(self, budget: Budget, work: Callable[[], T]) -> T | Unknown | NotSent:
        """What broke off may have been committed, and is asked about."""
        if budget.spent():
            return NotSent("the time was spent before anything was written")
        task = self._rows.submit(_on_its_own, work)
        try:
            return task.result(budget.left())
        except TooLate:
            return NotSent("the ledger of store credit is busy") if task.cancel() else Unknown("no answer in time")


def _on_its_own(work: Callable[[], T]) -> T | Unknown | NotSent:
    try:
        connection.ensure_connection()
    except DatabaseError as error:
        return NotSent(f"no database: {error}"[:200])
    try:
        return work()
    except (DatabaseError, InterfaceError) as error:
        return Unknown(f"{type(error).__name__}: {error}"[:200])
    finally:
        connection.close()


def _fact(entry: StoreCreditEntry) -> GatewayFact:
    return GatewayFact(
        gateway_refund_id=f"credit-{entry.pk}",
        number=entry.number,
        status=GatewayStatus.SUCCEEDED,
        amount_minor=entry.amount_minor,
        currency=entry.account.currency,
        occurred_at=entry.occurred_at,
    )
