"""A gateway that sends a byte now and then for minutes: cut by the total deadline, and nobody else's wait is longer."""

import json
import socket
import threading
import time

from tests.integration.adapters.peers import GOOD, MOVEMENT, answering, http_gateway, raw_server, read_request
from tests.integration.workers.bench import Bench
from tests.integration.workers.reconcilers import Recording, wait_until
from workers.contract import Call
from workers.ports import Accepted, Budget, Unknown
from workers.workqueue import WorkQueue

DEADLINE_SECONDS = 3.0
TRICKLE_SECONDS = 300.0
OTHERS = 200


def trickling(connection: socket.socket) -> None:
    """An answer that would be whole in five minutes."""
    read_request(connection)
    end = time.monotonic() + TRICKLE_SECONDS
    while time.monotonic() < end:
        connection.sendall(b"H")
        threading.Event().wait(0.1)


def test_a_trickling_gateway_is_cut_and_the_slowest_of_the_others_does_not_feel_it(
    bench: Bench, queue: WorkQueue
) -> None:
    added: dict[str, float] = {}
    waited: list[float] = []
    good = json.dumps(GOOD).encode()
    with raw_server(trickling) as slow, raw_server(answering("200 OK", good)) as quick:
        gateways = {"slow": http_gateway(slow), "quick": http_gateway(quick)}

        def perform(call: Call, budget: Budget) -> object:
            reply = gateways[call.account].refund(MOVEMENT, budget=budget)
            if call.account == "quick":
                waited.append(time.monotonic() - added[call.key])
            return reply

        reconciler = Recording()
        reconciler.calls_of = lambda key: [Call(key, key.split("-")[0], DEADLINE_SECONDS, None)]
        reconciler.on_perform = perform
        bench.start(reconciler, slots=16, linger_seconds=DEADLINE_SECONDS)
        started = time.monotonic()
        queue.add("refunds", [f"slow-{n}" for n in range(8)])
        wait_until(lambda: queue.stats().queues["refunds"].leases)
        for n in range(OTHERS):
            added[f"quick-{n}"] = time.monotonic()
            queue.add("refunds", [f"quick-{n}"])
        wait_until(lambda: len(waited) == OTHERS)
        assert reconciler.done == [key for key in reconciler.done if key.startswith("quick")]
        assert sorted(waited)[int(OTHERS * 0.99)] < DEADLINE_SECONDS / 2
        wait_until(lambda: any(key.startswith("slow") for key in reconciler.done))
        assert DEADLINE_SECONDS <= time.monotonic() - started < TRICKLE_SECONDS / 10
    replies = {answered.call.key: answered.reply for group in reconciler.recorded for answered in group}
    assert all(isinstance(reply, Unknown if key.startswith("slow") else Accepted) for key, reply in replies.items())
