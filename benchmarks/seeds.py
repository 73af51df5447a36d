"""The orders that backlogs and histories are cloned from: two lines, one payment, nothing shipped, all asked back."""

from dataclasses import dataclass
from functools import cache

from benchmarks.clones import Seed
from benchmarks.passes import run_through
from tests.factories import make_order, request


@dataclass(frozen=True)
class Seeds:
    """`waiting`: requested, and nothing else has happened. `ended`: refunded and told, by the product."""

    waiting: Seed
    ended: Seed


@cache
def seeds() -> Seeds:
    """Made once, one after the other: see STRIDE."""
    waiting, ended = make_order(2500, 1500), make_order(2500, 1500)
    request(waiting)
    run_through([refund.id for refund in request(ended).refunds], batch=1)
    return Seeds(Seed.of(waiting), Seed.of(ended))
