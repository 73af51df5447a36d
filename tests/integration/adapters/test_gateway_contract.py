"""One contract for every gateway adapter, each against its peer. What a peer cannot do is skipped by name."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import pytest

from orders.currencies import STRIPE
from tests.integration.adapters.conftest import Sandbox
from tests.integration.adapters.localstripe import API_KEY, LocalStripe, localstripe
from tests.integration.adapters.peers import SECRET, budget, free_port
from workers.adapters.http_gateway import HttpGateway
from workers.adapters.stripe_gateway import StripeGateway
from workers.ports import (
    ALREADY_CAPTURED,
    Accepted,
    Found,
    GatewayStatus,
    Movement,
    NotSent,
    PaymentGateway,
    RefundPage,
    Refused,
    Unknown,
)

_counter = itertools.count(1)


@dataclass
class Peer:
    """A gateway and what its peer can do."""

    gateway: PaymentGateway
    pay: Callable[[int, str], str]
    elsewhere: Callable[[str], PaymentGateway]
    stranger: PaymentGateway
    hold: Callable[[int, str], str]
    capture: Callable[[str], object]
    keeps_keys: bool
    lists_by_time: bool

    def movement(self, amount_minor: int = 1000, currency: str = "EUR") -> Movement:
        number = f"RFCONTRACT-{next(_counter)}"
        return Movement(number, number, self.pay(amount_minor, currency), amount_minor, currency)

    def held(self, amount_minor: int = 1000, currency: str = "EUR") -> Movement:
        number = f"RFCONTRACT-{next(_counter)}"
        return Movement(number, f"{number}-void", self.hold(amount_minor, currency), amount_minor, currency)


@pytest.fixture(scope="session")
def local_stripe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalStripe]:
    with localstripe(tmp_path_factory.mktemp("localstripe")) as running:
        yield running


def http_at(url: str) -> HttpGateway:
    return HttpGateway(url, secret=SECRET)


def stripe_at(url: str, *, key: str = API_KEY) -> StripeGateway:
    return StripeGateway(key, webhook_secret="whsec_test", base_url=url)


@pytest.fixture(params=["sandbox", "stripe"])
def peer(request: pytest.FixtureRequest) -> Peer:
    if request.param == "sandbox":
        sandbox: Sandbox = request.getfixturevalue("sandbox")
        stranger = HttpGateway(f"{sandbox.url}/v1", secret="whsec_c29tZWJvZHkgZWxzZQ==")

        def hold(amount_minor: int, currency: str) -> str:
            reference = _new_reference(amount_minor, currency)
            sandbox.script(reference, captured_minor=0)
            return reference

        def capture(reference: str) -> None:
            sandbox.script(reference, captured_minor=1000)

        return Peer(sandbox.gateway, _new_reference, http_at, stranger, hold, capture, True, True)
    running: LocalStripe = request.getfixturevalue("local_stripe")

    def pay(amount_minor: int, currency: str) -> str:
        return running.pay(STRIPE.theirs(amount_minor, currency), currency)

    def hold(amount_minor: int, currency: str) -> str:
        return running.pay(STRIPE.theirs(amount_minor, currency), currency, capture="manual")

    def capture(reference: str) -> object:
        return running.post(f"/v1/payment_intents/{reference}/capture", {})

    stranger = stripe_at(running.url, key="nobody")
    return Peer(stripe_at(running.url), pay, stripe_at, stranger, hold, capture, False, False)


def _new_reference(_amount_minor: int, _currency: str) -> str:
    return f"pay-contract-{next(_counter)}"


@pytest.mark.parametrize(
    ("amount_minor", "currency"), [(1000, "EUR"), (5800, "JPY"), (18600, "KWD"), (700, "ISK"), (9999, "CNY")]
)
def test_refund_is_accepted_in_our_units_and_found(peer: Peer, amount_minor: int, currency: str) -> None:
    asked = peer.movement(amount_minor, currency)
    reply = peer.gateway.refund(asked, budget=budget())
    assert isinstance(reply, Accepted), reply
    fact = reply.fact
    assert (fact.number, fact.amount_minor, fact.currency) == (asked.number, amount_minor, currency)
    assert fact.status is GatewayStatus.SUCCEEDED and fact.occurred_at is not None
    found = peer.gateway.look_up(asked.payment_reference, asked.number, budget=budget())
    assert isinstance(found, Found)
    assert [f.gateway_refund_id for f in found.facts] == [fact.gateway_refund_id]


def test_look_up_finds_only_our_number(peer: Peer) -> None:
    first = peer.movement()
    part = replace(first, amount_minor=400)
    other = replace(part, number=f"{part.number}-b", idempotency_key=f"{part.number}-b")
    for asked in (part, other):
        assert isinstance(peer.gateway.refund(asked, budget=budget()), Accepted)
    found = peer.gateway.look_up(first.payment_reference, other.number, budget=budget())
    assert isinstance(found, Found) and [f.number for f in found.facts] == [other.number]


def test_number_never_sent_is_absent(peer: Peer) -> None:
    asked = peer.movement()
    assert peer.gateway.look_up(asked.payment_reference, asked.number, budget=budget()) == Found(())


def test_same_key_moves_money_once(peer: Peer) -> None:
    if not peer.keeps_keys:
        pytest.skip("localstripe ignores Idempotency-Key")
    asked = peer.movement()
    replies = [peer.gateway.refund(asked, budget=budget()) for _ in range(2)]
    found = peer.gateway.look_up(asked.payment_reference, asked.number, budget=budget())
    assert isinstance(found, Found) and replies[0] == replies[1]
    assert len(found.facts) == 1


def test_refunds_are_listed_over_pages(peer: Peer) -> None:
    if not peer.lists_by_time:
        pytest.skip("localstripe answers 500 to a listing by time")
    asked = peer.movement()
    assert isinstance(peer.gateway.refund(asked, budget=budget()), Accepted)
    numbers, cursor = set(), ""
    since = datetime.now(UTC) - timedelta(minutes=1)
    while True:
        page = peer.gateway.list_refunds(since, cursor, budget=budget())
        assert isinstance(page, RefundPage), page
        numbers |= {fact.number for fact in page.facts}
        if not (cursor := page.next_cursor):
            break
    assert asked.number in numbers


def test_wrong_credentials_move_no_money_can_be_mended_and_say_nothing_of_absence(peer: Peer) -> None:
    asked = peer.movement()
    refused = peer.stranger.refund(asked, budget=budget())
    assert isinstance(refused, Refused) and refused.retryable
    assert isinstance(peer.stranger.look_up(asked.payment_reference, asked.number, budget=budget()), Unknown)


def test_unreachable_peer_means_not_sent(peer: Peer) -> None:
    asked = peer.movement()
    gateway = peer.elsewhere(f"http://127.0.0.1:{free_port()}")
    assert isinstance(gateway.refund(asked, budget=budget()), NotSent)
    assert isinstance(gateway.look_up(asked.payment_reference, asked.number, budget=budget()), NotSent)


def test_spent_budget_means_not_sent(peer: Peer) -> None:
    asked = peer.movement()
    assert isinstance(peer.gateway.refund(asked, budget=budget(0.0)), NotSent)
    assert peer.gateway.look_up(asked.payment_reference, asked.number, budget=budget()) == Found(())


@pytest.mark.parametrize(("amount_minor", "currency"), [(1000, "EUR"), (5800, "JPY"), (700, "ISK")])
def test_a_hold_is_ended_once_and_found(peer: Peer, amount_minor: int, currency: str) -> None:
    asked = peer.held(amount_minor, currency)
    assert peer.gateway.look_up_void(asked, budget=budget()) == Found()
    replies = [peer.gateway.void(asked, budget=budget()) for _ in range(2)]
    assert all(isinstance(reply, Accepted) for reply in replies), replies
    found = peer.gateway.look_up_void(asked, budget=budget())
    assert isinstance(found, Found)
    facts = [*found.facts, *(reply.fact for reply in replies if isinstance(reply, Accepted))]
    assert len({fact.gateway_refund_id for fact in facts}) == len(found.facts) == 1
    assert {(f.number, f.amount_minor, f.currency, f.status) for f in facts} == {
        (asked.number, amount_minor, currency, GatewayStatus.SUCCEEDED)
    }


def test_a_hold_that_was_captured_is_not_ended_and_can_be_refunded(peer: Peer) -> None:
    asked = peer.held()
    peer.capture(asked.payment_reference)
    refused = peer.gateway.void(asked, budget=budget())
    assert isinstance(refused, Refused) and (refused.code, refused.retryable) == (ALREADY_CAPTURED, False)
    assert peer.gateway.look_up_void(asked, budget=budget()) == Found()
    refunded = peer.gateway.refund(replace(asked, idempotency_key=asked.number), budget=budget())
    assert isinstance(refunded, Accepted) and refunded.fact.status is GatewayStatus.SUCCEEDED


def test_who_cannot_be_reached_or_does_not_know_us_has_ended_no_hold(peer: Peer) -> None:
    asked = peer.held()
    gateway = peer.elsewhere(f"http://127.0.0.1:{free_port()}")
    assert isinstance(gateway.void(asked, budget=budget()), NotSent)
    assert isinstance(peer.gateway.void(asked, budget=budget(0.0)), NotSent)
    refused = peer.stranger.void(asked, budget=budget())
    assert isinstance(refused, Refused) and refused.retryable
    assert isinstance(peer.stranger.look_up_void(asked, budget=budget()), Unknown)
    assert peer.gateway.look_up_void(asked, budget=budget()) == Found()
