"""Which of the configured gateway accounts pay whoever is named to them."""

from django.conf import settings


def payout_accounts() -> tuple[str, ...]:
    """The accounts that are configured to (`payouts`), and speak the protocol that can."""
    accounts = settings.GATEWAY_ACCOUNTS.items()
    return tuple(name for name, config in accounts if config.get("adapter") == "http" and config.get("payouts"))
