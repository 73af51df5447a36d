"""The nightly check of the ledger, in short runs that go on where the last one stopped. A difference is a case."""

import logging
import time
from datetime import timedelta

from orders import clock
from refunds.incidents import INCIDENT_DUE
from refunds.models import Incident, LedgerCheck
from refunds.selectors.ledger_check import Checked, check_page
from workers.singleton import alone

logger = logging.getLogger(__name__)

KIND = "ledger_difference"
ROUND = timedelta(days=1)
RUN_SECONDS = 10.0


def check_ledger(run_seconds: float = RUN_SECONDS) -> int:
    """Check for so long, if a round is due and nobody else does; how many shares were."""
    count, ends_at = 0, time.monotonic() + run_seconds
    with alone("ledger-check") as is_mine:
        if not is_mine:
            return 0
        now = clock.now()
        check, _ = LedgerCheck.objects.get_or_create(pk=1, defaults={"next_at": now})
        while check.next_at <= now and (not count or time.monotonic() < ends_at):
            page = check_page(check.after_id)
            _follow(page)
            count, check.after_id = count + page.count, page.last_id
            if not page.count:
                check.after_id, check.next_at = 0, now + ROUND
        check.save()
    return count


def _follow(page: Checked) -> None:
    """A case for each share that differs, as long as one is not open."""
    now, by_share = clock.now(), {d.share_id: d for d in page.differences}
    for share_id, difference in by_share.items():
        logger.error("The ledger differs: %s", difference)
        if not Incident.objects.filter(kind=KIND, closed_at=None, data__share=share_id).exists():
            said = [str(d) for d in page.differences if d.share_id == share_id]
            times = {"opened_at": now, "due_at": now + INCIDENT_DUE}
            data = {"share": share_id, "payment": difference.payment, "differences": said}
            Incident.objects.create(order_id=difference.order_id, kind=KIND, data=data, **times)
