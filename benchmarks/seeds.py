"""The orders that backlogs and histories are cloned from: two lines, one payment, nothing shipped, all asked back."""

from dataclasses import dataclass
from functools import cache

from benchmarks.clones import Seed
from benchmarks.passes import run_through
from orders.models import Order
from tests.factories import make_order, request


@dataclass(frozen=True)
class Seeds:
    """`waiting`: requested, and nothing else has happened. `ended`: refunded and told, by the product."""

    waiting: Seed
    ended: Seed


@cache
def seeds() -> Seeds:
    """Made once, one after the other: see STRIDE."""
    waiting, ended = _order(), _order()
    request(waiting)
    run_through([refund.id for refund in request(ended).refunds], batch=1)
    return Seeds(Seed.of(waiting), Seed.of(ended))


def waiting_seed(**about: str) -> Seed:
    """A waiting one more, of such an account or customer. The queue is told of it, and has to forget it."""
    order = _order(**about)
    request(order)
    return Seed.of(order)


def _order(**about: str) -> Order:
    return make_order(2500, 1500, **about)
