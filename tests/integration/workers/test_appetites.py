"""A pump asks each queue for as many keys as find room for their calls, whatever room another queue's calls have."""

import threading

from tests.integration.workers.bench import Bench
from tests.integration.workers.reconcilers import Recording, wait_until
from workers.contract import Call
from workers.ports import Budget
from workers.workqueue import WorkQueue

MONEY, MESSAGES = 120, 600


def test_keys_of_a_busy_account_stay_in_line_while_those_of_another_queue_find_room(
    bench: Bench, queue: WorkQueue
) -> None:
    def slowly(call: Call, budget: Budget) -> object:
        threading.Event().wait(0.05)
        return "done"

    money, messages = Recording(account="gateway"), Recording(account="email")
    messages.queue = "notifications"
    money.on_perform = slowly
    queue.add("refunds", [f"r-{n}" for n in range(MONEY)])
    queue.add("notifications", [f"n-{n}" for n in range(MESSAGES)])
    bench.start(money, messages, slots=16)
    wait_until(lambda: len(money.done) == MONEY and len(messages.done) == MESSAGES, seconds=30)
    assert sum(map(len, money.begun)) < 1.5 * MONEY
