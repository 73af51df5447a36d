"""The orders app; after each migration the default channel and the customers' principal exist."""

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate

from orders.roles import Role


def ensure_default_channel(sender: AppConfig, **_: Any) -> None:
    sender.get_model("Channel")._default_manager.get_or_create(
        is_default=True, defaults={"slug": "default", "name": "Default shop"}
    )


def ensure_customers(sender: AppConfig, **_: Any) -> None:
    """In whose name the answers to what customers send are kept; it has no key and no channel."""
    sender.get_model("Principal")._default_manager.get_or_create(role=Role.CUSTOMER, defaults={"name": "Customers"})


class OrdersConfig(AppConfig):
    name = "orders"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        post_migrate.connect(ensure_default_channel, sender=self)
        post_migrate.connect(ensure_customers, sender=self)
