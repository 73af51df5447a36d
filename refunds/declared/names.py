"""Which names a channel gets of those it wants: as Kubernetes' NamingConditionController does it. Pure.

Each field is judged by itself: what is free is taken although another field conflicts. A list is all or nothing. What
was accepted before is kept where the new wish conflicts. Own names never conflict, nor do those of another scope.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from refunds.conditions import FALSE, TRUE, Condition
from refunds.declared.channel_rules import DeclaredChannel

TYPE = "NamesAccepted"


@dataclass(frozen=True, slots=True, order=True)
class Name:
    """`scope` is the field: of each, a name is one holder's."""

    scope: str
    value: str


@dataclass(frozen=True, slots=True)
class Accepted:
    """`names` are held from now on; `conflicts` say per field who has what was wanted."""

    names: frozenset[Name]
    conflicts: tuple[tuple[str, str], ...] = ()

    @property
    def condition(self) -> Condition:
        if not self.conflicts:
            return Condition(TYPE, TRUE, "NoConflicts")
        reason = "".join(_reason(scope) for scope, _ in self.conflicts[:1]) + "Conflict"
        return Condition(TYPE, FALSE, reason, "; ".join(f"{scope}: {detail}" for scope, detail in self.conflicts))


def wanted(name: str, channel: DeclaredChannel) -> dict[str, tuple[Name, ...]]:
    """By field what the channel asks for."""
    fields = {
        "name": (name,),
        "hostnames": channel.hostnames,
        "numberPrefix": (channel.number_prefix,) if channel.number_prefix else (),
        "accounts": tuple(account.name for account in channel.accounts),
    }
    return {scope: tuple(Name(scope, value) for value in values) for scope, values in fields.items()}


def accept(wishes: Mapping[str, Iterable[Name]], *, held: Iterable[Name], taken: Mapping[Name, str]) -> Accepted:
    """`held`: what it has; `taken`: who holds what others have (own names may be among them)."""
    own, names, conflicts = frozenset(held), set[Name](), []
    for scope, values in wishes.items():
        values = tuple(values)
        lost = [name for name in values if name in taken and name not in own]
        if lost:
            conflicts.append((scope, ", ".join(f"{name.value} is held by {taken[name]}" for name in sorted(lost))))
            names |= {name for name in own if name.scope == scope}
        else:
            names |= set(values)
    return Accepted(frozenset(names), tuple(conflicts))


def _reason(scope: str) -> str:
    return {"name": "Name", "hostnames": "Hostname", "numberPrefix": "NumberPrefix", "accounts": "Account"}[scope]
