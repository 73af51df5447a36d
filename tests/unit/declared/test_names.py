"""Which names a channel gets of those it wants: Kubernetes' NamingConditionController, row by row."""

from dataclasses import dataclass, field

import pytest

from refunds.declared.channel_rules import Account, DeclaredChannel
from refunds.declared.names import Accepted, Name, accept, wanted

ME, OTHER = "fashion", "books"


def names(**scopes: str) -> set[Name]:
    """`hostnames="a b"`: two names of that scope."""
    return {Name(scope, value) for scope, values in scopes.items() for value in values.split()}


@dataclass
class Case:
    what: str
    wants: dict[str, str]
    held: dict[str, str] = field(default_factory=dict)
    taken: dict[str, str] = field(default_factory=dict)
    gets: dict[str, str] = field(default_factory=dict)
    conflicts: tuple[tuple[str, str], ...] = ()
    reason: str = "NoConflicts"


MATRIX = [
    Case("nothing is wanted but its name", {"name": ME}, gets={"name": ME}),
    Case(
        "all is free",
        {"name": ME, "hostnames": "a b", "numberPrefix": "FH"},
        gets={"name": ME, "hostnames": "a b", "numberPrefix": "FH"},
    ),
    Case(
        "a free name is taken although its sibling conflicts",
        {"name": ME, "hostnames": "a", "numberPrefix": "FH"},
        taken={"numberPrefix": "FH"},
        gets={"name": ME, "hostnames": "a"},
        conflicts=(("numberPrefix", "FH is held by books"),),
        reason="NumberPrefixConflict",
    ),
    Case(
        "a list is all or nothing",
        {"name": ME, "hostnames": "a b c"},
        taken={"hostnames": "b"},
        gets={"name": ME},
        conflicts=(("hostnames", "b is held by books"),),
        reason="HostnameConflict",
    ),
    Case(
        "each of a list that conflicts is told, in order",
        {"hostnames": "c a b"},
        taken={"hostnames": "b c"},
        conflicts=(("hostnames", "b is held by books, c is held by books"),),
        reason="HostnameConflict",
    ),
    Case(
        "its own names never conflict",
        {"name": ME, "hostnames": "a b"},
        held={"name": ME, "hostnames": "a b"},
        taken={"name": ME, "hostnames": "a b"},
        gets={"name": ME, "hostnames": "a b"},
    ),
    Case(
        "another scope never conflicts",
        {"name": "one", "accounts": "one", "hostnames": "one"},
        taken={"numberPrefix": "one"},
        gets={"name": "one", "accounts": "one", "hostnames": "one"},
    ),
    Case(
        "a name that is held in one scope is free in the others",
        {"name": "one", "accounts": "one"},
        taken={"name": "one"},
        gets={"accounts": "one"},
        conflicts=(("name", "one is held by books"),),
        reason="NameConflict",
    ),
    Case(
        "what was accepted is kept where the new wish conflicts",
        {"name": ME, "hostnames": "b", "numberPrefix": "FX"},
        held={"name": ME, "hostnames": "a", "numberPrefix": "FH"},
        taken={"hostnames": "b", "numberPrefix": "FX"},
        gets={"name": ME, "hostnames": "a", "numberPrefix": "FH"},
        conflicts=(("hostnames", "b is held by books"), ("numberPrefix", "FX is held by books")),
        reason="HostnameConflict",
    ),
    Case(
        "a list that grows by one that is taken stays as it was",
        {"hostnames": "a b"},
        held={"hostnames": "a"},
        taken={"hostnames": "b"},
        gets={"hostnames": "a"},
        conflicts=(("hostnames", "b is held by books"),),
        reason="HostnameConflict",
    ),
    Case("what is not wanted any more is let go", {"name": ME}, held={"name": ME, "hostnames": "a"}, gets={"name": ME}),
    Case(
        "what is exchanged is let go once the new one is had",
        {"hostnames": "b", "accounts": "x y"},
        held={"hostnames": "a", "accounts": "x"},
        gets={"hostnames": "b", "accounts": "x y"},
    ),
    Case(
        "accounts conflict under their own reason",
        {"accounts": "x"},
        taken={"accounts": "x"},
        conflicts=(("accounts", "x is held by books"),),
        reason="AccountConflict",
    ),
]


@pytest.mark.parametrize("case", MATRIX, ids=lambda case: case.what)
def test_what_conflicts_with_what(case: Case) -> None:
    """Check 68. TestSync"""
    wishes = {scope: tuple(Name(scope, value) for value in values.split()) for scope, values in case.wants.items()}
    taken = dict.fromkeys(names(**case.taken), OTHER)
    accepted = accept(wishes, held=names(**case.held), taken=taken)
    assert accepted == Accepted(frozenset(names(**case.gets)), case.conflicts)
    condition = accepted.condition
    assert (condition.status, condition.reason) == ("False" if case.conflicts else "True", case.reason)
    assert condition.message == "; ".join(f"{scope}: {detail}" for scope, detail in case.conflicts)


def test_what_a_channel_asks_for_is_told_by_field() -> None:
    """Check 68: fields are scopes. TestSync"""
    channel = DeclaredChannel(
        hostnames=("a.example", "b.example"),
        number_prefix="FH",
        accounts=(Account("x", "manual"), Account("y", "http")),
    )
    assert wanted("fashion", channel) == {
        "name": (Name("name", "fashion"),),
        "hostnames": (Name("hostnames", "a.example"), Name("hostnames", "b.example")),
        "numberPrefix": (Name("numberPrefix", "FH"),),
        "accounts": (Name("accounts", "x"), Name("accounts", "y")),
    }
    assert wanted("fashion", DeclaredChannel())["numberPrefix"] == ()
