"""Selectors first, the highest precedence, then the name; then the channel's policy; then the built-in one."""

import pytest

from refunds.declared.choosing import InForce, OrderFacts, chosen, fits, ranked
from refunds.declared.policy_rules import Selector

BUILT_IN = InForce(1, "built-in")
FASHION = InForce(2, "fashion", Selector({"kind": "fashion"}), 10)
ALL = InForce(3, "all", Selector({}), 0)
NAMED = InForce(4, "named")
SHOES = InForce(5, "a-shoes", Selector({"kind": "fashion", "what": "shoes"}), 10)


@pytest.mark.parametrize(
    ("policies", "order", "name"),
    [
        ([BUILT_IN], OrderFacts("main", {}), "built-in"),
        ([BUILT_IN, ALL], OrderFacts("main", {}), "all"),
        ([BUILT_IN, ALL, FASHION], OrderFacts("main", {"kind": "fashion"}), "fashion"),
        ([BUILT_IN, FASHION, SHOES], OrderFacts("main", {"kind": "fashion", "what": "shoes"}), "a-shoes"),
        ([BUILT_IN, FASHION], OrderFacts("main", {"kind": "food"}), "built-in"),
        ([BUILT_IN, NAMED], OrderFacts("main", {}), "built-in"),
        ([BUILT_IN, NAMED], OrderFacts("main", {}, policy="named"), "named"),
        ([BUILT_IN, NAMED, ALL], OrderFacts("main", {}, policy="named"), "all"),
        ([BUILT_IN], OrderFacts("main", {}, policy="gone"), "built-in"),
    ],
)
def test_which_policy_an_order_has(policies: list[InForce], order: OrderFacts, name: str) -> None:
    assert chosen(policies, order).name == name


def test_all_that_fit_are_told_in_their_order() -> None:
    order = OrderFacts("main", {"kind": "fashion", "what": "shoes"}, policy="named")
    found = [p.name for p in ranked([NAMED, BUILT_IN, ALL, FASHION, SHOES], order)]
    assert found == ["a-shoes", "fashion", "all", "named", "built-in"]


def test_without_any_policy_it_is_told() -> None:
    with pytest.raises(LookupError, match="run migrate"):
        chosen([], OrderFacts("main", {}))


@pytest.mark.parametrize(
    ("selector", "labels", "channel", "does"),
    [
        (Selector({}), {}, "main", True),
        (Selector({}, ("main",)), {}, "main", True),
        (Selector({}, ("other",)), {}, "main", False),
        (Selector({"vip": "true"}), {"vip": True}, "main", True),
        (Selector({"n": "5"}), {"n": 5}, "main", True),
        (Selector({"a": "b"}), {"a": "c"}, "main", False),
        (Selector({"a": "b"}), {}, "main", False),
    ],
)
def test_what_a_selector_fits(selector: Selector, labels: dict[str, object], channel: str, does: bool) -> None:
    assert fits(selector, OrderFacts(channel, labels)) is does
