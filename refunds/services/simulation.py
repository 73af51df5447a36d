"""Past requests decided again by a policy that is not in force. Nothing is written."""

from collections.abc import Iterator
from dataclasses import dataclass

from refunds.declared.choosing import InForce, chosen
from refunds.declared.policy_rules import DeclaredPolicy
from refunds.selectors.policies import policies_in_force
from refunds.services.past_requests import Past, Wanted, past_requests
from refunds.simulating import Compared, NotAsItWas, compare

PAGE = 500
#: No version that is stored has this id.
_SIMULATED = 0


@dataclass(frozen=True, slots=True)
class Replayed:
    """One past refund. `compared` None: it cannot be said (`why`), or is not for this policy (`is_others`)."""

    number: str
    currency: str = ""
    compared: Compared | None = None
    why: str = ""
    is_others: bool = False


def replay(name: str, policy: DeclaredPolicy, wanted: Wanted, *, page: int = PAGE) -> Iterator[list[Replayed]]:
    """The oldest first, so many at a time; in the place of what is in force by this name. Read it in a snapshot."""
    others = [one for one in policies_in_force() if one.name != name]
    policies = [*others, InForce(_SIMULATED, name, policy.selector, policy.precedence)]
    for requests in past_requests(wanted, page=page):
        yield [_replayed(request, policy, policies) for request in requests]


def _replayed(past: Past, policy: DeclaredPolicy, policies: list[InForce]) -> Replayed:
    if chosen(policies, past.order).version_id != _SIMULATED:
        return Replayed(past.number, is_others=True)
    if past.asked is None:
        return Replayed(past.number, why="its trail does not say what was asked for")
    try:
        compared = compare(past.asked, past.policy, policy.rules)
    except NotAsItWas as error:
        return Replayed(past.number, why=str(error))
    return Replayed(past.number, past.asked.currency, compared)
