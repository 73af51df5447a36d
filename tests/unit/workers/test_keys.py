"""What a key of a queue may look like. Each row has one key, or two syncs of one refund could run at once."""

import logging

import pytest

from workers.reconcilers.keys import NoSuchKey, row_id, row_ids
from workers.workqueue import Lease, OutcomeKind

NONE = ["", "0", "033", "+33", "-1", " 33", "33\n", "3_3", "٣٣", "abc", "1e3", str(2**63), "9" * 23, "9" * 5000]


@pytest.mark.parametrize("key", NONE, ids=lambda key: repr(key[:25]))
def test_what_is_written_otherwise_is_no_id(key: str) -> None:
    with pytest.raises(NoSuchKey):
        row_id(key)


def test_an_id_is_read_up_to_the_largest_one() -> None:
    assert [row_id("33"), row_id(str(2**63 - 1))] == [33, 2**63 - 1]


def test_a_key_that_is_no_id_ends_with_one_warning_and_the_others_are_read(caplog: pytest.LogCaptureFixture) -> None:
    leases = [Lease("refunds", key, "token") for key in ("1", "033", "2")]
    with caplog.at_level(logging.WARNING):
        ids, outcomes = row_ids(leases)
    assert ids == [1, 2]
    assert {key: outcome.kind for key, outcome in outcomes.items()} == {"033": OutcomeKind.TERMINAL}
    assert caplog.messages == ["queue refunds: '033' is no id"]
