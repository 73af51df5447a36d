"""The refunds app; after each migration the built-in policy's version exists."""

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate

from refunds.messages import checks as checks
from refunds.policy import BUILT_IN, BUILT_IN_NAME


def ensure_built_in_policy(sender: Any, **_: Any) -> None:
    """A changed built-in policy becomes a new generation; refunds pinned to an older one keep it."""
    versions = sender.get_model("PolicyVersion")._default_manager.filter(name=BUILT_IN_NAME).order_by("-generation")
    newest = versions.first()
    spec = BUILT_IN.to_json()
    if newest is None or newest.spec != spec:
        newest = sender.get_model("PolicyVersion")._default_manager.create(
            name=BUILT_IN_NAME, generation=newest.generation + 1 if newest else 1, spec=spec
        )
    in_force = sender.get_model("PolicyInForce")._default_manager
    in_force.update_or_create(name=BUILT_IN_NAME, defaults={"version": newest})


class RefundsConfig(AppConfig):
    name = "refunds"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        post_migrate.connect(ensure_built_in_policy, sender=self)
