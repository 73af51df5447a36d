"""The controller of gateways' lists: a key is an account, a pass reads one page of what the gateway has made."""

from collections.abc import Callable, Collection, Sequence

from refunds.calls import retry_delay
from refunds.services import orphan_scan
from refunds.services.orphan_scan import NoRoom, PageAsked
from refunds.services.rows import TIMING
from workers.contract import Answered, Begun, Call
from workers.ports import Budget, PaymentGateway, RefundListing, RefundPage, Unknown
from workers.reconcilers.keys import NoSuchKey, nothing
from workers.reconcilers.looks import STALLED_SECONDS, look_in
from workers.room import Room
from workers.workqueue import Lease, Outcome


class ListingReconciler:
    """Reads the lists of these accounts in turn, for ever; new ones join."""

    queue = "listings"

    def __init__(self, gateway: Callable[[str], PaymentGateway], accounts: Callable[[], Collection[str]]) -> None:
        self._gateway = gateway
        self._accounts = accounts
        self._begun: frozenset[str] = frozenset()

    def begin(self, leases: Sequence[Lease], room: Room, *, wait_ms: int | None = None) -> Begun:
        """Each claim is committed by itself: the error of a later account must not lose the call of an earlier one."""
        begun = Begun()
        for lease in leases:
            try:
                self._begin(lease, room, begun)
            except Exception as odd:
                if not begun.calls:
                    raise
                begun.raised[lease.key] = odd
        return begun

    def _begin(self, lease: Lease, room: Room, begun: Begun) -> None:
        account = lease.key
        if account not in self._accounts():
            begun.outcomes[account] = nothing(lease, NoSuchKey(f"{account[:40]!r} is no gateway account"))
            return
        page = orphan_scan.claim_page(account, self._gateway(account).capabilities, room.take)
        if isinstance(page, PageAsked):
            begun.calls.append(Call(account, page.slot, TIMING.call_seconds, page, "gateway_list"))
        else:
            seconds = room.wait_ms(page.slot) / 1000 if isinstance(page, NoRoom) else page
            begun.outcomes[account] = look_in(seconds)

    def perform(self, call: Call, budget: Budget) -> RefundListing:
        page = _page_of(call)
        return self._gateway(page.account).list_refunds(page.since, page.cursor, budget=budget)

    def is_healthy(self, reply: object) -> bool:
        return isinstance(reply, RefundPage)

    def record(self, answers: Sequence[Answered], *, wait_ms: int | None = None) -> dict[str, Outcome]:
        outcomes = {}
        for answered in answers:
            page = _page_of(answered.call)
            seconds = orphan_scan.record_page(page, _listing(answered))
            if seconds is not None:
                outcomes[page.account] = look_in(seconds)
        return outcomes

    def due(self, limit: int) -> list[str]:
        accounts = frozenset(self._accounts())
        if accounts != self._begun:
            orphan_scan.begin_scans(accounts)
            self._begun = accounts
        return orphan_scan.due_scans(accounts)

    def failed(self, key: str, error: BaseException, failures: int) -> None:
        orphan_scan.postpone_scan(key, seconds=retry_delay(failures, TIMING))

    def stalled(self, key: str) -> None:
        orphan_scan.postpone_scan(key, seconds=STALLED_SECONDS)


def _page_of(call: Call) -> PageAsked:
    assert isinstance(call.payload, PageAsked)
    return call.payload


def _listing(answered: Answered) -> RefundListing:
    if isinstance(answered.reply, RefundListing):
        return answered.reply
    return Unknown(repr(answered.error))
