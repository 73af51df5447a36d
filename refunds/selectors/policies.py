"""The policy version that new refunds are pinned to."""

from datetime import datetime

from refunds.policy import BUILT_IN_NAME
from refunds.records import execute


def current_policy_id() -> int:
    """The newest version of the policy in force."""
    return current_policy_at()[0]


def current_policy_at() -> tuple[int, datetime]:
    """The newest version of the policy in force, and the business time at which it is."""
    sql = "SELECT id, refundry_now() FROM refunds_policyversion WHERE name = %s ORDER BY generation DESC LIMIT 1"
    return execute(sql, [BUILT_IN_NAME]).fetchall()[0]
