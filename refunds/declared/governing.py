"""Which orders would be refunded by looser rules, when a policy comes, goes, or is for others than before. Pure.

A second person has to agree to what loosens a rule, whichever way it is loosened: by a policy's own new version, by one
that takes precedence over it, by its end, by another selector, or by a channel that names another policy. What governs
is compared on the orders that show it: for each selector in question the least labels that fit it, alone and together
with those of each other policy, in each channel. Any other order is governed as one of these.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from refunds.declared.choosing import InForce, OrderFacts, chosen
from refunds.declared.loosening import loosened
from refunds.policy import PolicySpec

Labels = dict[str, str]


@dataclass(frozen=True, slots=True)
class Governing:
    """The policies in force with their rules, by version id, and which policy each channel names."""

    policies: tuple[InForce, ...]
    rules: Mapping[int, PolicySpec]
    channels: Mapping[str, str]

    def of(self, channel: str, labels: Labels) -> InForce:
        return chosen(self.policies, OrderFacts(channel, labels, self.channels.get(channel, "")))


def looser_for_orders(before: Governing, after: Governing, policy: str) -> tuple[str, ...]:
    """The fields that are looser after a change about the policy of this name, for some order."""
    known = sorted(before.channels.keys() | after.channels.keys())
    witnesses = [(channel, labels) for labels in _witnesses(before, after, policy) for channel in known]
    return _looser(before, after, witnesses)


def looser_for_channel(before: Governing, after: Governing, channel: str) -> tuple[str, ...]:
    """The same after the channel names another policy: it is for the orders that no selector asks for."""
    return _looser(before, after, [(channel, {})])


def _looser(before: Governing, after: Governing, witnesses: Iterable[tuple[str, Labels]]) -> tuple[str, ...]:
    moves = {(before.of(*order).version_id, after.of(*order).version_id) for order in witnesses}
    return tuple(sorted({path for old, new in moves for path in loosened(before.rules[old], after.rules[new])}))


def _witnesses(before: Governing, after: Governing, policy: str) -> Iterator[Labels]:
    """Also an order without labels: what is only named by a channel governs no other."""
    yield {}
    all_of_them = [*before.policies, *after.policies]
    own = [p.selector.labels for p in all_of_them if p.selector and p.name == policy]
    others = [p.selector.labels for p in all_of_them if p.selector]
    yield from own
    for mine in own:
        yield from (mine | theirs for theirs in others if _can_both_be(mine, theirs))


def _can_both_be(one: Labels, other: Labels) -> bool:
    return all(other.get(name, value) == value for name, value in one.items())
