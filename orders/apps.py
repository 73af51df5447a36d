"""The orders app; after each migration the default channel exists."""

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate


def ensure_default_channel(sender: AppConfig, **_: Any) -> None:
    sender.get_model("Channel")._default_manager.get_or_create(
        is_default=True, defaults={"slug": "default", "name": "Default shop"}
    )


class OrdersConfig(AppConfig):
    name = "orders"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        post_migrate.connect(ensure_default_channel, sender=self)
