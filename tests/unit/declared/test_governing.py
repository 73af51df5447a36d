"""Whichever way the rules of some order are loosened, it is seen."""

from dataclasses import replace

import pytest

from refunds.declared.choosing import InForce
from refunds.declared.governing import Governing, looser_for_channel, looser_for_orders
from refunds.declared.policy_rules import Selector
from refunds.policy import PolicySpec

BUILT_IN, STRICT, LOOSE = PolicySpec(), replace(PolicySpec(), window_days=7), replace(PolicySpec(), window_days=30)
RULES = {1: BUILT_IN, 2: STRICT, 3: LOOSE, 4: STRICT}
BASE, NAMED = InForce(1, "built-in"), (InForce(2, "n"), InForce(3, "m"))
SECOND = InForce(3, "b", Selector({}), 5)


def policy(version: int, name: str, precedence: int = 0, **labels: str) -> InForce:
    return InForce(version, name, Selector(dict(labels)), precedence)


def world(*policies: InForce, main: str = "", other: str = "") -> Governing:
    return Governing((BASE, *policies), RULES, {"main": main, "other": other})


@pytest.mark.parametrize(
    ("before", "after", "name", "paths"),
    [
        (world(policy(2, "p")), world(policy(2, "p")), "p", ()),
        (world(policy(2, "p")), world(policy(3, "p")), "p", ("window.days",)),
        (world(policy(3, "p")), world(policy(2, "p")), "p", ()),
        (world(), world(policy(2, "p")), "p", ()),
        (world(policy(2, "a")), world(policy(2, "a"), policy(3, "b", 9)), "b", ("window.days",)),
        (world(policy(2, "a", 9)), world(policy(2, "a", 9), policy(3, "b")), "b", ()),
        (world(policy(2, "a", k="x")), world(policy(2, "a", k="x"), policy(3, "b", 9, k="y")), "b", ()),
        (world(policy(2, "a", k="x")), world(policy(2, "a", k="x"), policy(3, "b", 9, j="y")), "b", ("window.days",)),
        (world(policy(2, "a")), world(), "a", ("window.days",)),
        (world(policy(2, "a", 9), policy(4, "b")), world(policy(4, "b")), "a", ()),
        (world(policy(2, "a")), world(policy(2, "a", k="x")), "a", ("window.days",)),
        (
            world(policy(2, "a", 9), policy(3, "b", 5)),
            world(policy(2, "a", 1), policy(3, "b", 5)),
            "a",
            ("window.days",),
        ),
        (world(InForce(2, "n"), main="n"), world(InForce(3, "n"), main="n"), "n", ("window.days",)),
        (world(InForce(2, "n"), main="n"), world(main="n"), "n", ("window.days",)),
        (world(InForce(2, "n")), world(InForce(3, "n")), "n", ()),
    ],
    ids=[
        "the same",
        "a looser version",
        "a stricter version",
        "strict where there was none",
        "one that outranks another",
        "one that is outranked",
        "for other orders",
        "for some that both fit",
        "the end of it",
        "another as strict follows",
        "for fewer orders than before",
        "behind one that it was before",
        "a looser version of what a channel names",
        "the end of what a channel names",
        "of what nobody names",
    ],
)
def test_what_is_looser_for_some_order(before: Governing, after: Governing, name: str, paths: tuple[str, ...]) -> None:
    assert looser_for_orders(before, after, name) == paths


@pytest.mark.parametrize(
    ("before", "after", "paths"),
    [
        (world(InForce(2, "n"), main="n"), world(InForce(2, "n")), ("window.days",)),
        (world(InForce(2, "n")), world(InForce(2, "n"), main="n"), ()),
        (
            world(InForce(2, "n"), InForce(3, "m"), main="n"),
            world(InForce(2, "n"), InForce(3, "m"), main="m"),
            ("window.days",),
        ),
        (world(policy(2, "all"), InForce(3, "m")), world(policy(2, "all"), InForce(3, "m"), main="m"), ()),
    ],
    ids=["named no more", "a strict one", "a looser one", "a selector fits all the same"],
)
def test_what_is_looser_when_a_channel_names_another(
    before: Governing, after: Governing, paths: tuple[str, ...]
) -> None:
    assert looser_for_channel(before, after, "main") == paths


def test_one_channel_s_policy_is_compared_with_what_holds_there() -> None:
    only_main = InForce(2, "a", Selector({}, ("main",)))
    elsewhere = InForce(3, "b", Selector({}, ("other",)), 9)
    assert looser_for_orders(world(only_main), world(only_main, elsewhere), "b") == ()
    everywhere = replace(elsewhere, selector=Selector({}))
    assert looser_for_orders(world(only_main), world(only_main, everywhere), "b") == ("window.days",)
