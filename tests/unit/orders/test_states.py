"""Where an order stands follows from its counts, whatever happens to its units and in whatever order."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from orders.states import ORDER_ARROWS, LineUnits, OrderState, order_refund_state, order_state, verb_to
from tests.sizes import examples

ORDER_STATES = [
    # bought, shipped, delivered, withheld, of those refunded: per line       the order is
    ([(2, 0, 0, 0, 0)], "paid"),
    ([(2, 1, 0, 0, 0)], "partially_shipped"),
    ([(2, 2, 0, 0, 0)], "shipped"),
    ([(2, 2, 1, 0, 0)], "shipped"),
    ([(2, 2, 2, 0, 0)], "delivered"),
    ([(2, 1, 1, 0, 0)], "partially_shipped"),
    ([(1, 1, 1, 0, 0), (1, 0, 0, 0, 0)], "partially_shipped"),
    # What a refund holds is not waited for.
    ([(2, 1, 0, 1, 0)], "shipped"),
    ([(2, 1, 1, 1, 1)], "delivered"),
    ([(2, 0, 0, 2, 0)], "paid"),  # held, not refunded yet
    ([(2, 0, 0, 2, 1)], "paid"),
    ([(2, 0, 0, 2, 2)], "cancelled"),
    ([(2, 0, 0, 2, 2), (1, 0, 0, 0, 0)], "paid"),
    ([(2, 0, 0, 2, 2), (1, 1, 0, 0, 0)], "shipped"),
    # A line the shop took out of the order.
    ([(0, 0, 0, 0, 0), (1, 1, 1, 0, 0)], "delivered"),
    ([(0, 0, 0, 0, 0), (2, 0, 0, 2, 2)], "cancelled"),
    ([], "paid"),
]


@pytest.mark.parametrize(("lines", "state"), ORDER_STATES)
def test_where_an_order_stands(lines: list[tuple[int, ...]], state: str) -> None:
    assert order_state(LineUnits(*counts) for counts in lines) == state


def test_what_does_not_ship_is_not_waited_for() -> None:
    download = LineUnits(1, 0, 0, 0, 0, ships=False)
    assert order_state([download]) == "paid"
    assert order_state([download, LineUnits(1, 1, 1, 0, 0)]) == "delivered"


@pytest.mark.parametrize(
    ("active", "any_refunded", "anything_left", "state"),
    [
        (False, False, True, "none"),
        (False, False, False, "none"),
        (True, False, True, "refund_requested"),
        (True, True, True, "refund_requested"),
        (True, True, False, "refund_requested"),
        (False, True, True, "partially_refunded"),
        (False, True, False, "refunded"),  # public report 41: 60 + 40 of 100
    ],
)
def test_how_far_an_order_is_refunded(active: bool, any_refunded: bool, anything_left: bool, state: str) -> None:
    found = order_refund_state(active=active, any_refunded=any_refunded, anything_left=anything_left)
    assert found == state


class Orders(RuleBasedStateMachine):
    """Units are shipped, delivered, held, refunded, given back and taken back; the shop edits the order."""

    @initialize(quantities=st.lists(st.integers(1, 4), min_size=1, max_size=3))
    def begin(self, quantities: list[int]) -> None:
        self.counts = [{"q": q, "shipped": 0, "delivered": 0, "held": 0, "refunded": 0} for q in quantities]
        self.state = OrderState.PAID

    def _pick(self, data: st.DataObject, wanted: str) -> dict[str, int] | None:
        fit = [c for c in self.counts if self._room(c, wanted)]
        return data.draw(st.sampled_from(fit)) if fit else None

    def _room(self, c: dict[str, int], wanted: str) -> int:
        return {
            "ship": c["q"] - c["shipped"] - c["held"] - c["refunded"],
            "deliver": c["shipped"] - c["delivered"],
            "hold": c["q"] - c["shipped"] - c["held"] - c["refunded"],
            "release": c["held"],
            "pay": c["held"],
            "reverse": c["refunded"],
            "edit": 1,
        }[wanted]

    def _move(self, data: st.DataObject, wanted: str, **by: int) -> None:
        if c := self._pick(data, wanted):
            n = data.draw(st.integers(1, self._room(c, wanted)))
            for count, sign in by.items():
                c[count] += sign * n

    @rule(data=st.data(), delivered=st.booleans())
    def ship(self, data: st.DataObject, delivered: bool) -> None:
        self._move(data, "ship", shipped=1, **({"delivered": 1} if delivered else {}))

    @rule(data=st.data())
    def deliver(self, data: st.DataObject) -> None:
        self._move(data, "deliver", delivered=1)

    @rule(data=st.data())
    def hold(self, data: st.DataObject) -> None:
        self._move(data, "hold", held=1)

    @rule(data=st.data())
    def release(self, data: st.DataObject) -> None:
        self._move(data, "release", held=-1)

    @rule(data=st.data())
    def pay(self, data: st.DataObject) -> None:
        self._move(data, "pay", held=-1, refunded=1)

    @rule(data=st.data())
    def reverse(self, data: st.DataObject) -> None:
        self._move(data, "reverse", held=1, refunded=-1)

    @precondition(lambda self: self.state is not OrderState.CANCELLED)
    @rule(data=st.data(), more=st.booleans())
    def edit(self, data: st.DataObject, more: bool) -> None:
        """More of a line, or no more of it than must stay."""
        line = data.draw(st.sampled_from(self.counts))
        line["q"] = line["q"] + 1 if more else line["shipped"] + line["held"] + line["refunded"]

    @invariant()
    def the_machine_can_follow(self) -> None:
        if not hasattr(self, "counts"):
            return
        target = order_state(
            LineUnits(c["q"], c["shipped"], c["delivered"], c["held"] + c["refunded"], c["refunded"])
            for c in self.counts
        )
        verb = verb_to(ORDER_ARROWS, source=self.state, target=target)
        assert (verb is None) is (self.state == target)
        self.state = target
        if target is OrderState.CANCELLED:
            assert all(c["shipped"] == 0 and c["refunded"] == c["q"] for c in self.counts)


TestOrders = pytest.mark.sized(Orders.TestCase)
TestOrders.settings = settings(max_examples=examples(150), stateful_step_count=25, deadline=None)
