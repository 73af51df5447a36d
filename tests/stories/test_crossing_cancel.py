"""A cancel while the engine takes up the money: refused, or nothing ever reaches the gateway."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.sizes import SOAK, size
from tests.stories.shop import Call, Case, Shop

pytestmark = [pytest.mark.xdist_group("stories"), pytest.mark.sized, pytest.mark.usefixtures("right_books")]

ROUNDS, CLIENTS = size(200), 4


def test_a_cancel_is_refused_or_no_money_ever_moves(shop: Shop):
    with ThreadPoolExecutor(CLIENTS) as pool:
        cases = dict(pool.map(clicked_and_cancelled, [shop] * ROUNDS))
    for case, is_cancelled in cases.items():
        case.becomes("cancelled" if is_cancelled else "refunded")
        assert case.order.look()["refund_state"] == ("none" if is_cancelled else "refunded")
        assert len(case.order.gateway_refunds()) == len(case.order.sends()) == (not is_cancelled)
    assert not SOAK or set(cases.values()) == {True, False}


def clicked_and_cancelled(shop: Shop) -> tuple[Case, bool]:
    """The customer thinks better of it: shop and support cancel at once. Whether one of them is told it is done."""
    case = shop.place_order().request_refund()
    path = f"/refunds/{case.number}/cancel"
    answers = shop.send_together([Call("POST", path, role=role) for role in ("shop", "support")])
    refused = [answer.body["code"] for answer in answers if answer.status == 409]
    assert set(refused) <= {"not_cancellable", "money_claimed"}
    assert all(answer.status in (200, 409) for answer in answers)
    return case, len(refused) < len(answers)
