"""A shop that states an order again and again holds its lock again and again; its refund has to end all the same."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from threading import Event, Thread

import pytest

from tests.sizes import size
from tests.stories.shop import Answer, Shop, ShopOrder

pytestmark = [pytest.mark.xdist_group("stories"), pytest.mark.usefixtures("right_books")]

ROUNDS = size(30)


@pytest.mark.sized
@pytest.mark.parametrize("writers", [1, 8])
def test_an_order_that_is_stated_in_a_loop_never_keeps_its_refund_from_ending(shop: Shop, writers: int) -> None:
    """Several passes at least: the money is accepted first, and arrives later."""
    for _ in range(ROUNDS // 3 or 1):
        order = shop.place_order("pending_then_succeed")
        with stated_in_a_loop(order, writers) as answers:
            case = order.request_refund()
            case.comes_to_rest("refunded")
        assert len(order.sends()) == 1
        assert {answer.status for answer in answers} <= {200, 503}
        assert sum(answer.status == 200 for answer in answers) >= writers


@contextmanager
def stated_in_a_loop(order: ShopOrder, writers: int) -> Iterator[list[Answer]]:
    """By so many clients at once, with another name each time, until the block ends."""
    done, names, answers = Event(), count(1), []

    def state() -> None:
        while not done.is_set():
            customer = {"name": f"Ada {next(names)}", "email": order.email}
            answers.append(order.put(customer=customer))

    threads = [Thread(target=state) for _ in range(writers)]
    for thread in threads:
        thread.start()
    try:
        yield answers
    finally:
        done.set()
        for thread in threads:
            thread.join(30)
