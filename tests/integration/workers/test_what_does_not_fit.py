"""What a reconciler says that does not fit its leases: the calls that do are made all the same."""

from collections.abc import Sequence
from dataclasses import replace

from tests.integration.workers.bench import Bench
from tests.integration.workers.reconcilers import Recording
from workers.contract import Begun, Call
from workers.room import Room
from workers.workqueue import Lease, OutcomeKind, WorkQueue, ok


def test_a_call_for_a_key_that_is_not_held_is_left_out_and_the_others_are_made(bench: Bench, queue: WorkQueue) -> None:
    """Controller check 79; upstream: It "should recover panic if RecoverPanic is true by default".

    T1 has been committed: a neighbour's claim must not lose its call.
    """
    reconciler = Recording()
    reconciler.calls_of = lambda key: [Call(key.lstrip("0"), "gateway:test", 5.0, None)]
    queue.add("refunds", ["1", "033", "2"])
    bench.controller(reconciler).run()
    assert (sorted(reconciler.done), reconciler.begun[0]) == (["1", "2"], ["1", "033", "2"])
    assert [(key, type(cause)) for key, cause, _ in reconciler.failures][:1] == [("033", LookupError)]


def test_an_outcome_for_a_key_that_is_not_held_changes_nothing(bench: Bench, queue: WorkQueue) -> None:
    reconciler = Recording()
    record = reconciler.record
    reconciler.record = lambda answers, *, wait_ms=None: {"stranger": ok(), **record(answers)}
    queue.add("refunds", ["1", "2"])
    controller = bench.controller(reconciler)
    controller.run()
    assert (sorted(reconciler.done), controller.outcomes) == (["1", "2"], {OutcomeKind.OK: 2})


def test_key_that_raises_after_others_have_claimed_fails_alone(bench: Bench, queue: WorkQueue) -> None:
    """Controller check 79; upstream: It "should recover panic if RecoverPanic is true by default".

    Where each key's claim is committed by itself.
    """
    reconciler = Recording()
    begin = reconciler.begin

    def begin_one_by_one(leases: Sequence[Lease], room: Room, *, wait_ms: int | None = None) -> Begun:
        begun = begin([lease for lease in leases if lease.key != "2"], room)
        return replace(begun, raised={"2": ValueError("poison")})

    reconciler.begin = begin_one_by_one
    queue.add("refunds", ["1", "2"])
    bench.controller(reconciler).run()
    assert reconciler.done == ["1"]
    assert [(key, str(cause)) for key, cause, _ in reconciler.failures][:1] == [("2", "poison")]
