"""Gateways by account: those of the settings are made once, declared ones anew when they, or their secrets, change."""

import os
from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from refunds.selectors.declared_accounts import DeclaredAccount, declared_accounts
from refunds.selectors.gateway_accounts import config_of
from workers.declared_secrets import secret_of
from workers.ports import BadSignature, PaymentGateway
from workers.secrets import SecretMissing

Make = Callable[[str, Mapping[str, Any]], PaymentGateway]
#: What each adapter calls its secrets.
_SECRETS = {"http": {"secret": "secret"}, "stripe": {"api_key": "secret", "webhook_secret": "webhook_secret"}}


class Gateways:
    """`make` builds one; `lacking` stands in for one that cannot be built, and says why."""

    def __init__(self, make: Make, lacking: Callable[[str, str], PaymentGateway]) -> None:
        self._make = make
        self._lacking = lacking
        self._stated: dict[str, PaymentGateway] = {}
        self._declared: dict[str, tuple[object, PaymentGateway]] = {}

    def __call__(self, account: str) -> PaymentGateway:
        """The gateway behind an account; one that is not configured never sends anything."""
        if found := self._stated.get(account):
            return found
        if config := settings.GATEWAY_ACCOUNTS.get(account):
            return self._stated.setdefault(account, self._make(account, config))
        declared = declared_accounts().get(account)
        return self._of(declared) if declared else self._lacking(account, "")

    def cache_clear(self) -> None:
        self._stated.clear()
        self._declared.clear()

    def _of(self, declared: DeclaredAccount) -> PaymentGateway:
        references = {name: getattr(declared, field) for name, field in _SECRETS.get(declared.adapter, {}).items()}
        state = (declared, *(_state(reference) for reference in references.values()))
        kept = self._declared.get(declared.name)
        if kept and kept[0] == state:
            return kept[1]
        try:
            secrets = {
                name: secret_of(reference, declared.channel) for name, reference in references.items() if reference
            }
            made = self._make(declared.name, config_of(declared) | secrets)
        except SecretMissing as missing:
            return self._lacking(declared.name, str(missing))
        except (BadSignature, ImproperlyConfigured, ValueError) as odd:
            # Whoever declared it must not stop the refunds of others; what is told may hold no secret.
            return self._lacking(declared.name, f"its secret or its address cannot be used ({type(odd).__name__})")
        self._declared[declared.name] = state, made
        return made


def _state(reference: str) -> object:
    """Equal as long as the secret behind it need not be read again."""
    scheme, _, name = reference.partition(":")
    if scheme != "file":
        return os.environ.get(name)
    try:
        found = os.stat(name)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size
