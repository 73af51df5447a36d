"""The reading of a gateway's list: one reader at a time, who may die at any moment, and nothing is missed."""

import json
import threading
from datetime import UTC, datetime, timedelta

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from orders import clock
from refunds.models import GatewayScan
from refunds.services import orphan_scan
from refunds.services.orphan_scan import PageAsked
from tests.integration.adapters.peers import answering, budget, http, http_gateway, raw_server
from tests.integration.engine.returns import bought, pass_time
from tests.integration.engine.threads import together
from tests.integration.orphans.world import World, drive, entries, perform, states, sums
from tests.sizes import size
from tests.waiting import eventually
from workers.ports import Capabilities, GatewayFact, GatewayStatus, PaymentGateway, RefundPage, Unknown
from workers.reconcilers.listings import ListingReconciler
from workers.room import Room
from workers.singleton import alone
from workers.workqueue import Lease

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]

CAN = Capabilities()
NOTHING = RefundPage(())


def test_what_appears_late_in_the_list_is_found_by_the_overlap(world: World) -> None:
    """Listings are consistent in the end only."""
    order = bought(1000)
    made = world.make(order, unlisted_ms=400)
    world.find()
    assert states(made) == ["none"]
    pass_time(timedelta(minutes=5))
    eventually(lambda: world.find() or sums(order), lambda found: found == {"refunded": 1000}, seconds=10)


def test_a_round_goes_over_all_pages_and_the_next_one_begins_where_it_did(world: World) -> None:
    for _ in range(110):
        world.make_raw(reference="somebody's", amount_minor=1, currency="EUR", behaviour="no_webhook")
    made, begun = world.make(bought(1000)), clock.now()
    assert world.scan() >= 2
    assert states(made) == ["open"]
    scan = GatewayScan.objects.get()
    assert (scan.cursor, scan.window_at) == ("", None)
    assert abs(scan.since - (begun - timedelta(hours=1))) < timedelta(seconds=30)


def test_an_account_whose_adapter_cannot_list_is_not_asked(sandbox_url: str, world: World) -> None:
    quiet = World(sandbox_url, can_list=False)
    before = _listings(world)
    assert quiet.scan() == 0
    assert _listings(world) == before
    assert GatewayScan.objects.get().next_scan_at > clock.now()


@pytest.mark.sized
def test_two_schedulers_at_once_ask_once_and_adopt_each_orphan_once(sandbox_url: str, world: World) -> None:
    """Controller check 78 (TestTryAcquireOrRenewLeases): several that think they are the one do no harm."""
    orders = [bought(1000) for _ in range(size(100))]
    for order in orders:
        world.make(order)
    orphan_scan.begin_scans(["sandbox"])
    claimed = together(*[lambda: orphan_scan.claim_page("sandbox", CAN, _room)] * 4)
    assert sum(isinstance(each, PageAsked) for each in claimed) == 1
    GatewayScan.objects.update(next_scan_at=clock.now())
    together(*[lambda: drive(World(sandbox_url).listings)] * 4)
    together(*[lambda: _look_at_all(World(sandbox_url))] * 4)
    world.settle()
    assert entries(*orders) == [("external", 1000)] * len(orders)


def test_who_was_overtaken_may_not_write(world: World) -> None:
    """Controller check 78 (TestReleaseRetriesOnConflict; a deposed leader's write has no upstream test)."""
    first = _claim()
    assert isinstance(orphan_scan.claim_page("sandbox", CAN, _room), float), "as long as he may be answered"
    pass_time(timedelta(minutes=1))
    second = _claim()
    assert second.claim > first.claim
    assert orphan_scan.record_page(first, RefundPage((_fact("of-the-first"),), "cursor")) is not None
    assert (states("of-the-first"), GatewayScan.objects.get().cursor) == (["none"], "")
    orphan_scan.record_page(second, RefundPage((_fact("of-the-second"),), "next"))
    assert (states("of-the-second"), GatewayScan.objects.get().cursor) == (["open"], "next")


def test_a_killed_reader_is_followed_by_another_one_from_the_same_page(world: World) -> None:
    """Controller check 78 (TestReleaseOnCancellation_Leases): his lock went with him, his claim with time."""
    lost = _claim()
    pass_time(timedelta(minutes=1))
    found = _claim()
    assert (found.since, found.cursor) == (lost.since, lost.cursor)


def test_no_lock_is_held_while_the_gateway_is_asked(world: World) -> None:
    world.listings.due(1)
    [call] = world.listings.begin([Lease("listings", "sandbox", "token")], Room(64, lambda: 64)).calls
    assert (_advisory_locks(), connection.in_atomic_block) == (0, False)
    assert isinstance(perform(world.listings, call).reply, RefundPage)


def test_an_account_that_raises_does_not_lose_the_call_of_one_before_it(world: World) -> None:
    """Controller check 79; upstream: It "should recover panic if RecoverPanic is true by default"."""

    def gateway(account: str) -> PaymentGateway:
        if account == "misconfigured":
            raise ImproperlyConfigured
        return http_gateway(world.url)

    listings = ListingReconciler(gateway, lambda: ["sandbox", "misconfigured"])
    listings.due(1)
    leases = [Lease("listings", account, "token") for account in ("sandbox", "misconfigured")]
    begun = listings.begin(leases, Room(64, lambda: 64))
    assert ([call.key for call in begun.calls], list(begun.raised)) == (["sandbox"], ["misconfigured"])
    with pytest.raises(ImproperlyConfigured):
        listings.begin(leases[1:], Room(64, lambda: 64))


def test_of_two_in_one_name_the_second_is_told_so_at_once_and_the_end_of_the_first_frees_it(world: World) -> None:
    """Controller check 78 (TestReleaseOnCancellation_Leases)."""
    inside, done = threading.Event(), threading.Event()

    def stay() -> None:
        with alone("a name") as is_mine:
            assert is_mine
            inside.set()
            done.wait(10)
        connection.close()

    first = threading.Thread(target=stay)
    first.start()
    assert inside.wait(10)
    assert (_may_be_alone("a name"), _may_be_alone("another name")) == (False, True)
    done.set()
    first.join()
    assert _may_be_alone("a name")


def test_the_end_of_the_connection_frees_the_lock_as_well(world: World) -> None:
    """Controller check 78 (TestReleaseOnCancellation_Leases): the process was killed, or PostgreSQL restarted."""
    dying = connection.copy()
    with dying.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(hashtextextended('a name', 0)), pg_backend_pid()")
        pid = cursor.fetchone()[1]
    assert not _may_be_alone("a name")
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
    assert _may_be_alone("a name")
    dying.close()


def test_a_list_that_fails_is_tried_again_ever_later_and_begun_anew_after_three_times(world: World) -> None:
    """What fails is said, and keeps nobody from anything else."""
    orphan_scan.record_page(_claim(), RefundPage((), "far"))
    waits = []
    for _ in range(3):
        pass_time(timedelta(minutes=11))
        waits.append(orphan_scan.record_page(_claim(), Unknown("HTTP 500", answered=True)))
    scan = GatewayScan.objects.get()
    assert waits == [10, 20, 40]
    assert (scan.cursor, scan.failures, scan.last_error) == ("", 3, "HTTP 500")
    pass_time(timedelta(minutes=11))
    orphan_scan.record_page(_claim(), NOTHING)
    assert GatewayScan.objects.get().failures == 0


def test_a_list_that_goes_in_a_circle_has_failed(world: World) -> None:
    orphan_scan.record_page(_claim(), RefundPage((), "same"))
    orphan_scan.record_page(_claim(), RefundPage((), "same"))
    assert GatewayScan.objects.get().last_error == "the list does not go on"


def test_what_makes_no_sense_in_a_list_does_not_hide_the_rest() -> None:
    good = {"gateway_refund_id": "good", "status": "succeeded", "amount_minor": 5, "currency": "EUR"}
    odd = good | {"gateway_refund_id": "odd", "amount_minor": "5"}
    rows = [good | {"status": "exploded"}, odd, {}, None, good]
    with raw_server(answering("200 OK", json.dumps({"refunds": rows}).encode())) as address:
        page = http_gateway(address).list_refunds(datetime.now(UTC), "", budget=budget())
    assert isinstance(page, RefundPage)
    assert [(fact.gateway_refund_id, fact.amount_minor) for fact in page.facts] == [("odd", 0), ("good", 5)]


def _claim() -> PageAsked:
    """The account's next page, by whoever comes first."""
    orphan_scan.begin_scans(["sandbox"])
    page = orphan_scan.claim_page("sandbox", CAN, _room)
    assert isinstance(page, PageAsked)
    return page


def _room(slot: str) -> bool:
    return True


def _fact(reference: str) -> GatewayFact:
    return GatewayFact(reference, "", GatewayStatus.SUCCEEDED, 1000, "EUR")


def _look_at_all(world: World) -> None:
    leases = [Lease("orphans", key, "token") for key in world.orphans.due(1000)]
    world.orphans.begin(leases, Room(64, lambda: 64))


def _may_be_alone(name: str) -> bool:
    with alone(name) as is_mine:
        return is_mine


def _listings(world: World) -> int:
    """How often the sandbox was asked for its list."""
    return sum("since=" in call["path"] for call in http("GET", f"{world.url}/gateway/ledger")["calls"])


def _advisory_locks() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()")
        return int(cursor.fetchone()[0])
