"""Four eyes: what is protected, what a second word is bound to, and what it holds up. A table each."""

import pytest

from refunds.approving import Agreed, Asked, Second, is_protected, second, subject
from refunds.decide import decide
from refunds.observing import observe
from refunds.policy import PolicySpec
from refunds.seen import Seen
from refunds.states import RefundState, Route
from tests.unit.refunds.shorthand import FIRST_SENT, movement, replace
from tests.unit.refunds.shorthand import second as after

POLICY, DAY = PolicySpec(second_approval_minor={"EUR": 50_000}), 24 * 3600
THIS = subject([("A", 2), ("B", 1)], "return", ["", ""])


@pytest.mark.parametrize(
    ("asked", "protected"),
    [
        (Asked(50_000, "EUR"), False),
        (Asked(50_001, "EUR"), True),
        (Asked(50_001, "JPY"), False),
        (Asked(1, "EUR", goes_elsewhere=True), True),
        (Asked(0, "EUR", goes_elsewhere=True), False),
        (Asked(1, "EUR", labels={"risk": "high", "kind": "shoes"}), True),
        (Asked(1, "EUR", labels={"risk": "low"}), False),
    ],
)
def test_much_money_a_risk_and_money_that_goes_elsewhere_are_protected(asked: Asked, protected: bool) -> None:
    assert is_protected(asked, replace(POLICY, protected_labels={"risk": "high"})) is protected


@pytest.mark.parametrize(
    ("agreed", "now", "amount_minor", "word"),
    [
        (None, THIS, 60_000, Second.MISSING),
        (Agreed(THIS, 60_000), THIS, 60_000, Second.GIVEN),
        (Agreed(THIS, 60_000), THIS, 55_000, Second.GIVEN),
        (Agreed(THIS, 60_000), THIS, 60_001, Second.LAPSED),
        (Agreed(THIS, 60_000), subject([("B", 1), ("A", 2)], "return", ["", ""]), 60_000, Second.GIVEN),
        (Agreed(THIS, 60_000), subject([("A", 1), ("B", 1)], "return", ["", ""]), 60_000, Second.LAPSED),
        (Agreed(THIS, 60_000), subject([("A", 2), ("B", 1)], "keep", ["", ""]), 60_000, Second.LAPSED),
        (Agreed(THIS, 60_000), subject([("A", 2), ("B", 1)], "return", ["", "bank"]), 60_000, Second.LAPSED),
        (Agreed("", 60_000), THIS, 60_000, Second.UNKNOWN),
        (Agreed(THIS, 60_000, "alone today"), THIS, 60_000, Second.BYPASSED),
        (Agreed(THIS, 60_000, "alone today"), THIS, 60_001, Second.LAPSED),
    ],
    ids=[
        "nobody",
        "agreed",
        "less",
        "more",
        "any order",
        "other units",
        "other goods",
        "another account",
        "cannot be read",
        "let pass",
        "let pass for less",
    ],
)
def test_a_word_holds_for_what_it_was_given_for(agreed, now, amount_minor, word) -> None:
    assert second(agreed, now, amount_minor) is word


def protected(state: RefundState, word: Second = Second.MISSING, **so: object) -> Seen:
    it = Seen(state, Route.INSTANT, 60_000, "EUR", FIRST_SENT, (movement("intended idle"),), acknowledged=True)
    return replace(it, second=word, **so)


@pytest.mark.parametrize(
    ("it", "sends", "goes"),
    [
        (protected(RefundState.REQUESTED), 0, "send_to_review"),
        (protected(RefundState.REFUNDING, approved=True), 0, "-"),
        (protected(RefundState.REFUNDING, Second.LAPSED, approved=True), 0, "-"),
        (protected(RefundState.REFUNDING, Second.GIVEN, approved=True), 1, "-"),
        (protected(RefundState.REFUNDING, Second.BYPASSED, approved=True), 1, "-"),
        (protected(RefundState.REFUNDING, Second.UNKNOWN, approved=True), 0, "-"),
        (protected(RefundState.REFUNDING), 0, "recall"),
        (protected(RefundState.REFUNDING, approved=True, deadline=after(0)), 0, "recall"),
        (protected(RefundState.REFUNDING, Second.GIVEN, approved=True, deadline=after(0)), 0, "fail"),
    ],
    ids=[
        "nobody is paid at once",
        "approved once it waits",
        "so it does when the word has lapsed",
        "approved twice it goes",
        "so it does when it was let pass",
        "and not when nobody can tell",
        "what rose above the limit is looked at again",
        "not for ever",
        "then it has its own time",
    ],
)
def test_money_waits_for_the_second_word(it: Seen, sends: int, goes: str) -> None:
    plan = decide(it, POLICY, now=after(1))
    assert (len(plan.sends), " ".join(plan.verbs) or "-") == (sends, goes)


def test_what_money_left_for_is_not_called_back() -> None:
    it = protected(RefundState.REFUNDING, Second.LAPSED, movements=(movement("pending idle"),))
    assert decide(it, POLICY, now=after(1)).verbs == ()


@pytest.mark.parametrize(
    ("word", "said"),
    [
        (Second.NOT_NEEDED, None),
        (Second.MISSING, ("False", "Missing")),
        (Second.LAPSED, ("False", "Invalid")),
        (Second.GIVEN, ("True", "Approved")),
        (Second.BYPASSED, ("True", "Bypassed")),
        (Second.UNKNOWN, ("Unknown", "Unknown")),
    ],
)
def test_a_condition_says_how_it_stands(word: Second, said: tuple[str, str] | None) -> None:
    found = {c.type: (c.status, c.reason) for c in observe(protected(RefundState.REFUNDING, word), now=after(1))}
    assert found.get("ApprovalConformant") == said


def test_it_waits_for_a_person_as_long_as_the_policy_says() -> None:
    plan = decide(protected(RefundState.REFUNDING, approved=True), POLICY, now=after(0))
    assert plan.deadline == after(7 * DAY)
