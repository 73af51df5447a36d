"""The policy version that new refunds are pinned to."""

from refunds.policy import BUILT_IN_NAME
from refunds.records import execute


def current_policy_id() -> int:
    """The newest version of the policy in force."""
    sql = "SELECT id FROM refunds_policyversion WHERE name = %s ORDER BY generation DESC LIMIT 1"
    return execute(sql, [BUILT_IN_NAME]).fetchall()[0][0]
