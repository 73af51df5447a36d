"""Any sequence of requests and cancellations ends exactly at what was paid: in total, in tax and per payment."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from refunds.money import Ask, LineMoney, OrderMoney, allocate, paid_minor, sheet, split
from tests.sizes import examples
from tests.unit.money.orders import costs, orders


def before(order, units, drawn):
    """The order once a refund of these units was cancelled: the opposite of `OrderMoney.after`."""

    def give_back(line):
        share = drawn.lines[line.line_id]
        return replace(
            line,
            refunded_units=line.refunded_units - units[line.line_id],
            refunded_minor=line.refunded_minor - share.amount_minor,
            refunded_tax_minor=line.refunded_tax_minor - share.tax_minor,
        )

    return replace(
        order,
        lines=tuple(give_back(line) if line.line_id in drawn.lines else line for line in order.lines),
        shipping_refunded_minor=order.shipping_refunded_minor - drawn.shipping_minor,
        shipping_tax_refunded_minor=order.shipping_tax_refunded_minor - drawn.shipping_tax_minor,
    )


def left(order):
    return {line.line_id: line.left_units for line in order.lines if line.left_units}


class RefundsOfOneOrder(RuleBasedStateMachine):
    """An order on up to three payments, whose refunds come and go."""

    @initialize(order=orders(), weights=st.lists(st.integers(1, 9), min_size=1, max_size=3))
    def buy(self, order, weights):
        self.order, self.live = order, []
        self.costs = costs(order)
        self.tax = sum(line.tax_minor for line in order.lines) + order.shipping_tax_minor
        self.free = dict(enumerate(allocate(paid_minor(order), weights)))

    def refund(self, units):
        drawn = sheet(self.order, Ask(units))
        parts = split(drawn.total_minor, list(self.free.items()))
        self.check(drawn)
        self.order = self.order.after(units, drawn)
        for share_id, part in parts:
            self.free[share_id] -= part
        self.live.append((units, drawn, parts))

    def check(self, drawn):
        assert sum(entry.amount_minor for entry in drawn.entries) == drawn.total_minor
        assert sum(share.amount_minor for share in drawn.lines.values()) + drawn.shipping_minor == drawn.total_minor
        assert sum(share.tax_minor for share in drawn.lines.values()) + drawn.shipping_tax_minor == drawn.tax_minor
        assert all(0 <= share.tax_minor <= share.amount_minor for share in drawn.lines.values())
        assert 0 <= drawn.shipping_tax_minor <= drawn.shipping_minor

    @precondition(lambda self: left(self.order))
    @rule(data=st.data())
    def request(self, data):
        free = left(self.order)
        chosen = data.draw(st.sets(st.sampled_from(sorted(free)), min_size=1))
        self.refund({line_id: data.draw(st.integers(1, free[line_id])) for line_id in sorted(chosen)})

    @precondition(lambda self: self.live)
    @rule(data=st.data())
    def cancel(self, data):
        units, drawn, parts = self.live.pop(data.draw(st.integers(0, len(self.live) - 1)))
        self.order = before(self.order, units, drawn)
        for share_id, part in parts:
            self.free[share_id] += part

    @precondition(lambda self: left(self.order))
    @rule()
    def request_the_rest(self):
        self.refund(left(self.order))
        assert sum(drawn.total_minor for _, drawn, _ in self.live) == paid_minor(self.order)
        assert sum(drawn.tax_minor for _, drawn, _ in self.live) == self.tax
        assert [line.refunded_minor for line in self.order.lines] == self.costs
        assert not any(self.free.values())

    def teardown(self):
        if hasattr(self, "order") and left(self.order):
            self.request_the_rest()


def one_by_one(order):
    """The order after each unit left of line A was refunded alone, and the sheets."""
    shares = []
    for _ in range(order.lines[0].left_units):
        shares.append(sheet(order, Ask({"A": 1})))
        order = order.after({"A": 1}, shares[-1])
    return order, shares


@pytest.mark.parametrize("quantity", range(1, 6))
def test_no_small_line_loses_or_gains_a_unit_whichever_refunds_are_cancelled(quantity):
    """Every small price and tax; each unit refunded alone, any of them cancelled, then each of those once more."""
    for paid, kept in product(range(7), product((True, False), repeat=quantity)):
        for tax in range(paid + 1):
            order = OrderMoney("EUR", True, (LineMoney("A", "Thing", quantity, paid, tax),))
            order, first = one_by_one(order)
            for drawn in (drawn for drawn, stays in zip(first, kept, strict=True) if not stays):
                order = before(order, {"A": 1}, drawn)
            order, again = one_by_one(order)
            shares = [*again, *(drawn for drawn, stays in zip(first, kept, strict=True) if stays)]
            assert (sum(s.total_minor for s in shares), sum(s.tax_minor for s in shares)) == (paid, tax)
            assert all(0 <= s.tax_minor <= s.total_minor for s in shares)


TestRefundsOfOneOrder = pytest.mark.sized(RefundsOfOneOrder.TestCase)
TestRefundsOfOneOrder.settings = settings(max_examples=examples(100))


@given(orders())
def test_one_at_a_time_is_the_same_as_all_at_once(order):
    at_once = sheet(order, Ask(left(order)))
    step_by_step = order
    for line in order.lines:
        for _ in range(line.quantity):
            units = {line.line_id: 1}
            step_by_step = step_by_step.after(units, sheet(step_by_step, Ask(units)))
    assert step_by_step == order.after(left(order), at_once)


@given(orders())
def test_a_full_refund_shows_every_discount_whole(order):
    entries = sheet(order, Ask(left(order))).entries
    assert [e.amount_minor for e in entries if e.kind == "line"] == [line.list_minor for line in order.lines]
    for discount in order.discounts:
        assert -sum(e.amount_minor for e in entries if e.label == discount.label) == discount.amount_minor
    assert paid_minor(order) == sum(e.amount_minor for e in entries)
