"""A pinned version's rules with days by a channel's clock."""

from functools import lru_cache

from refunds.policy import PolicySpec
from refunds.selectors.policies import policy_of


@lru_cache(maxsize=1000)
def policy_in(version_id: int, zone: str) -> PolicySpec:
    return policy_of(version_id).in_zone(zone)
