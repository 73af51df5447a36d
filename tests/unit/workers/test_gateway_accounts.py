"""Which gateway stands behind which account."""

from typing import Any

from workers import bootstrap
from workers.adapters.stripe_gateway import StripeGateway


def test_an_account_at_stripe_has_its_adapter(settings: Any) -> None:
    settings.GATEWAY_ACCOUNTS = {"stripe-eu": {"adapter": "stripe", "api_key": "sk_test", "webhook_secret": "whsec"}}
    gateway = bootstrap.gateway("stripe-eu")
    bootstrap.gateway.cache_clear()
    assert isinstance(gateway, StripeGateway)
    assert gateway.capabilities.settle_seconds == settings.SETTLE_SECONDS
