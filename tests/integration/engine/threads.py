"""Acts at the same moment, each on a connection of its own."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from django.db import connection, transaction

from orders.errors import Problem
from orders.locks import LockNotHad, lock_orders


def together(*acts: Callable[[], object]) -> list[object]:
    """What they return, or the problem they raise."""
    start = threading.Barrier(len(acts))

    def run(act: Callable[[], object]) -> object:
        try:
            start.wait(timeout=10)
            return act()
        except (Problem, LockNotHad) as refused:
            return refused
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


@contextmanager
def somebody_holds(order_id: int) -> Iterator[Callable[[], None]]:
    """Another transaction has the order's lock until the block ends, or until what is yielded is called."""
    locked, let_go = threading.Event(), threading.Event()

    def hold() -> None:
        try:
            with transaction.atomic():
                lock_orders([order_id])
                locked.set()
                let_go.wait(timeout=30)
        finally:
            connection.close()

    holder = threading.Thread(target=hold)
    holder.start()
    try:
        assert locked.wait(timeout=10)
        yield let_go.set
    finally:
        let_go.set()
        holder.join()
