"""How the demo's stories are told."""

from datetime import UTC, datetime

from workers.local.demo.telling import Moment, in_order


def test_what_follows_from_an_act_is_told_after_it_although_it_is_of_the_same_moment() -> None:
    at = datetime(2026, 6, 30, tzinfo=UTC)
    nothing_sent, rejected = (
        Moment(at, "gateway", "nothing was sent", comes_last=True),
        Moment(at, "support", "rejected"),
    )
    assert in_order([nothing_sent, rejected]) == [rejected, nothing_sent]
