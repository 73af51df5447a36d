"""Reading a gateway's own list of refunds, a page at a time: the one way to find what no webhook ever told.

A page is claimed under the account's lock (`workers.singleton`), asked for without any, and written under it again by
the last one who claimed. Listings are consistent in the end only, so each round begins some time before the last one
did; what is read twice is noted once.
"""

import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection
from django.db.models import F

from orders import clock
from refunds.calls import retry_delay
from refunds.models import GatewayScan
from refunds.records import execute
from refunds.services.orphan_reports import note_refunds
from refunds.services.rows import TIMING
from refunds.services.wakes import wake_orphans
from workers.ports import Capabilities, RefundListing, RefundPage
from workers.singleton import alone

logger = logging.getLogger(__name__)

BUSY_SECONDS = 1.0
#: So often a page fails until its round begins anew: a cursor does not live for ever.
FRESH_CURSOR_AFTER = 3
_LONGEST_CURSOR = 2000
_BEGIN = """
INSERT INTO refunds_gatewayscan (account, since, cursor, claims, next_scan_at, failures, last_error)
SELECT account, refundry_now() - %s, '', 0, refundry_now(), 0, '' FROM unnest(%b::text[]) AS account
ON CONFLICT (account) DO NOTHING
"""
_DUE = "SELECT account FROM refunds_gatewayscan WHERE next_scan_at <= refundry_now() AND account = ANY(%b::text[])"
#: Orders may come later than what was done about their payments.
_PAYMENTS_KNOWN_NOW = """
UPDATE refunds_orphan SET state = 'open', next_reconcile_at = refundry_now()
WHERE id IN (
    SELECT orphan.id FROM refunds_orphan orphan JOIN orders_payment payment
        ON payment.account = orphan.account AND payment.reference = orphan.payment_reference
    WHERE orphan.state = 'foreign' AND orphan.account = %s
    ORDER BY orphan.id FOR NO KEY UPDATE OF orphan SKIP LOCKED
)
RETURNING id
"""


def list_slot(account: str) -> str:
    """Reading the list has a window of its own: where it fails nobody is kept from asking about a refund."""
    return f"list:{account}"


@dataclass(frozen=True, slots=True)
class PageAsked:
    """A claimed page. `claim` is our fence."""

    account: str
    since: datetime
    cursor: str
    claim: int

    @property
    def slot(self) -> str:
        return list_slot(self.account)


@dataclass(frozen=True, slots=True)
class NoRoom:
    """No call may be made now."""

    slot: str


def begin_scans(accounts: Collection[str]) -> None:
    """Have a place in the list of each of these accounts; where there is one, nothing changes."""
    execute(_BEGIN, [timedelta(seconds=settings.SCAN_OVERLAP_SECONDS), list(accounts)])


def due_scans(accounts: Collection[str]) -> list[str]:
    """Those of the accounts whose list is to be read now."""
    return [row[0] for row in execute(_DUE, [list(accounts)]).fetchall()]


def claim_page(account: str, can: Capabilities, take: Callable[[str], bool]) -> PageAsked | NoRoom | float | None:
    """The next page, claimed; or the seconds until there is something to do, None where there is no place to go on."""
    with alone(_name(account)) as is_mine:
        scan = GatewayScan.objects.filter(account=account).first()
        now = clock.now()
        if not is_mine:
            return BUSY_SECONDS
        if scan is None:
            return None
        if scan.next_scan_at > now:
            return (scan.next_scan_at - now).total_seconds()
        if not scan.cursor:
            _look_again_at_foreign(account)
        page = PageAsked(account, scan.since, scan.cursor, scan.claims + 1)
        if not can.listing:
            return _postpone(page, now, settings.SCAN_SECONDS)
        if not take(page.slot):
            return NoRoom(page.slot)
        # Nobody else asks as long as the answer may come; he who has died is not waited for any longer.
        _write(scan.claims, page, window_at=scan.window_at or now, next_scan_at=now + _answer_time())
        return page


def record_page(asked: PageAsked, answer: RefundListing) -> float | None:
    """Note what is in the page and move on. The seconds until the next one is due; None: busy, tell me again.

    The page of one who has been overtaken is dropped: whoever overtook him reads it.
    """
    with alone(_name(asked.account)) as is_mine:
        if not is_mine:
            return None
        scan, now = GatewayScan.objects.filter(account=asked.account).first(), clock.now()
        if scan is None:
            return 0.0
        if scan.claims != asked.claim:
            return max(0.0, (scan.next_scan_at - now).total_seconds())
        if not isinstance(answer, RefundPage):
            return _failed(scan, asked, answer.reason, now)
        if answer.next_cursor and (answer.next_cursor == asked.cursor or len(answer.next_cursor) > _LONGEST_CURSOR):
            return _failed(scan, asked, "the list does not go on", now)
        note_refunds(asked.account, answer.facts)
        return _move_on(scan, asked, answer, now)


def postpone_scan(account: str, *, seconds: float) -> None:
    """Reading the list raised, or killed its workers."""
    GatewayScan.objects.filter(account=account).update(
        next_scan_at=clock.now() + timedelta(seconds=seconds), failures=F("failures") + 1
    )


def _move_on(scan: GatewayScan, asked: PageAsked, page: RefundPage, now: datetime) -> float:
    fields: dict[str, object] = {"failures": 0, "last_error": "", "cursor": page.next_cursor}
    seconds = 0.0 if page.next_cursor else settings.SCAN_SECONDS
    if not page.next_cursor:
        begun = (scan.window_at or now) - timedelta(seconds=settings.SCAN_OVERLAP_SECONDS)
        fields |= {"since": max(scan.since, begun), "window_at": None}
    _write(asked.claim, asked, next_scan_at=now + timedelta(seconds=seconds), **fields)
    return seconds


def _failed(scan: GatewayScan, asked: PageAsked, reason: str, now: datetime) -> float:
    failures = scan.failures + 1
    logger.warning("the list of %s could not be read, %d times in a row: %s", asked.account, failures, reason)
    seconds = retry_delay(failures, TIMING)
    anew = {"cursor": "", "window_at": None} if failures % FRESH_CURSOR_AFTER == 0 else {}
    after = now + timedelta(seconds=seconds)
    _write(asked.claim, asked, next_scan_at=after, failures=failures, last_error=reason[:200], **anew)
    return seconds


def _postpone(page: PageAsked, now: datetime, seconds: float) -> float:
    _write(page.claim - 1, page, next_scan_at=now + timedelta(seconds=seconds))
    return seconds


def _write(claims: int, page: PageAsked, **fields: object) -> None:
    """Only over what we have read: a scan that somebody else has claimed since is not ours to move."""
    GatewayScan.objects.filter(account=page.account, claims=claims).update(claims=page.claim, **fields)


def _look_again_at_foreign(account: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_PAYMENTS_KNOWN_NOW, [account])
        wake_orphans([row[0] for row in cursor.fetchall()])


def _answer_time() -> timedelta:
    return timedelta(seconds=settings.CALL_SECONDS + settings.SETTLE_SECONDS)


def _name(account: str) -> str:
    return f"scan of {account}"
