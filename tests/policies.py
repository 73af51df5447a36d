"""Other rules than the built-in ones, in force for the orders of a test."""

from typing import Any

from refunds.models import PolicyInForce, PolicyVersion
from refunds.policy import BUILT_IN_NAME


def put_in_force(**rules: Any) -> PolicyVersion:
    """The next version of the built-in policy, as the one before it but for these rules."""
    newest = PolicyVersion.objects.filter(name=BUILT_IN_NAME).latest("generation")
    version = PolicyVersion.objects.create(
        name=BUILT_IN_NAME, generation=newest.generation + 1, spec=newest.spec | rules
    )
    PolicyInForce.objects.filter(name=BUILT_IN_NAME).update(version=version)
    return version
