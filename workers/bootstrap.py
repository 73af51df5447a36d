"""The wiring: which adapter stands behind which account, and which reconcilers run. The only place that knows both."""

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Any

import redis
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from redis.backoff import NoBackoff
from redis.retry import Retry

from refunds.selectors.gateway_accounts import account_config, account_names
from refunds.services.orphan_scan import list_slot
from refunds.services.parcel_calls import slot_of
from workers.adapters import http_courier, http_gateway
from workers.adapters.account_limits import limits_stated
from workers.adapters.email import SmtpMessenger, SmtpServer
from workers.adapters.manual import ManualGateway
from workers.adapters.sms import SmsMessenger
from workers.adapters.store_credit import StoreCreditGateway
from workers.adapters.unconfigured import UnconfiguredCourier, UnconfiguredGateway
from workers.adapters.webhook_sender import WebhookSender
from workers.contract import Reconciler
from workers.declared_secrets import secret_of
from workers.gateways import Gateways
from workers.ports import NO_LIMITS, Courier, Limits, Messenger, PaymentGateway
from workers.rates import Rate, Rates, redis_buckets
from workers.reconcilers.listings import ListingReconciler
from workers.reconcilers.manifests import ManifestReconciler
from workers.reconcilers.notifications import NotificationReconciler
from workers.reconcilers.orphans import OrphanReconciler
from workers.reconcilers.refunds import RefundReconciler
from workers.reconcilers.webhooks import WebhookReconciler
from workers.workqueue import QueueSpec, WorkQueue

#: Queue and weight: money first, messages beside it, what is declared, then what others have done, and what shops hear.
QUEUES = (
    QueueSpec("refunds", weight=2.0),
    QueueSpec("notifications"),
    QueueSpec("manifests"),
    QueueSpec("orphans"),
    QueueSpec("listings"),
    QueueSpec("webhooks"),
)


@cache
def workqueue() -> WorkQueue:
    client = redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=10, socket_connect_timeout=2, socket_keepalive=True
    )
    return WorkQueue(client, QUEUES, lease_seconds=settings.LEASE_SECONDS, most_pumps=settings.PUMPS)


@cache
def impatient_workqueue() -> WorkQueue:
    """For whoever only looks: a Redis that does not answer is told after a second."""
    client = redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=1, socket_connect_timeout=1, retry=Retry(NoBackoff(), 0)
    )
    return WorkQueue(client, QUEUES, most_pumps=settings.PUMPS)


@cache
def reconcilers() -> tuple[Reconciler, ...]:
    return (
        RefundReconciler(gateway, courier, is_courier=is_courier),
        NotificationReconciler(messengers()),
        ManifestReconciler(),
        OrphanReconciler(gateway, courier, is_courier=is_courier),
        ListingReconciler(gateway, accounts),
        WebhookReconciler(WebhookSender(secret_of=secret_of, allow_private=settings.WEBHOOKS_ALLOW_PRIVATE)),
    )


def accounts() -> tuple[str, ...]:
    """The gateway accounts that are configured, or declared by a channel."""
    return account_names()


def _make_gateway(account: str, config: Mapping[str, Any]) -> PaymentGateway:
    with _naming(f"GATEWAY_ACCOUNTS: account {account}"):
        return _GATEWAYS[config["adapter"]](config, limits_stated(account, config))


#: The gateway behind an account.
gateway = Gateways(_make_gateway, UnconfiguredGateway)


def limits_of(account: str) -> Limits:
    """What the account refuses however it is asked. Loads no adapter's library."""
    config = account_config(account)
    return NO_LIMITS if config is None else limits_stated(account, config)


def courier_accounts() -> tuple[str, ...]:
    """The courier accounts that are configured."""
    return tuple(settings.COURIER_ACCOUNTS)


def is_courier(account: str) -> bool:
    return account == settings.COURIER or account in settings.COURIER_ACCOUNTS


@cache
def courier(account: str) -> Courier:
    """The courier behind an account, as `settings.COURIER`; one that is not configured never sends anything."""
    config = settings.COURIER_ACCOUNTS.get(account)
    if config is None:
        return UnconfiguredCourier(account)
    with _naming(f"COURIER_ACCOUNTS: account {account}"):
        return _COURIERS[config["adapter"]](config)


@cache
def messengers() -> Mapping[str, Messenger]:
    """By channel. SMS has a provider only where one is configured."""
    server = SmtpServer.from_url(settings.EMAIL_URL)
    by_channel: dict[str, Messenger] = {"email": SmtpMessenger(server, from_email=settings.DEFAULT_FROM_EMAIL)}
    if settings.SMS_URL:
        by_channel["sms"] = SmsMessenger(settings.SMS_URL, secret=settings.SMS_SECRET)
    return by_channel


@cache
def rates() -> Rates:
    """One bucket per account that states a `rate`, for what it is sent and what it is asked together."""
    by_slot: dict[str, Rate] = {}
    for name, config in (settings.GATEWAY_ACCOUNTS | settings.COURIER_ACCOUNTS).items():
        if "rate" in config:
            rate = _rate(name, config)
            slots = (slot_of(name, asks=False), slot_of(name, asks=True), list_slot(name))
            by_slot |= dict.fromkeys(slots, rate)
    return Rates(by_slot, redis_buckets(workqueue().client))


def _rate(account: str, config: Mapping[str, Any]) -> Rate:
    try:
        rate = Rate(account, float(config["rate"]), int(config.get("burst", math.ceil(config["rate"]))))
    except (TypeError, ValueError) as odd:
        raise ImproperlyConfigured(f"account {account}: rate and burst are numbers") from odd
    if not (0 < rate.per_second < math.inf and rate.burst >= 1):
        raise ImproperlyConfigured(f"account {account}: its rate is more than 0, its burst at least 1")
    return rate


@contextmanager
def _naming(place: str) -> Iterator[None]:
    """A key that the configuration lacks is told with its place."""
    try:
        yield
    except KeyError as missing:
        raise ImproperlyConfigured(f"{place} lacks or misnames {missing}") from missing


def _http_gateway(config: Mapping[str, Any], limits: Limits) -> PaymentGateway:
    can = replace(
        http_gateway.DEFAULT_CAPABILITIES,
        settle_seconds=settings.SETTLE_SECONDS,
        listing=config.get("listing", True),
        voids=config.get("voids", False),
        payouts=config.get("payouts", False),
        limits=limits,
    )
    return http_gateway.HttpGateway(config["base_url"], secret=config["secret"], capabilities=can)


def _stripe(config: Mapping[str, Any], limits: Limits) -> PaymentGateway:
    """Stripe's library is large: only who has an account there loads it."""
    stripe_gateway = import_module("workers.adapters.stripe_gateway")
    can = replace(
        stripe_gateway.CAPABILITIES,
        settle_seconds=settings.SETTLE_SECONDS,
        voids=config.get("voids", True),
        limits=limits,
    )
    gateway: PaymentGateway = stripe_gateway.StripeGateway(
        config["api_key"],
        webhook_secret=config.get("webhook_secret", ""),
        base_url=config.get("base_url", ""),
        capabilities=can,
    )
    return gateway


def _store_credit(config: Mapping[str, Any], limits: Limits) -> PaymentGateway:
    return StoreCreditGateway(limits)


def _manual(config: Mapping[str, Any], limits: Limits) -> PaymentGateway:
    return ManualGateway(limits)


def _http_courier(config: Mapping[str, Any]) -> Courier:
    can = replace(http_courier.DEFAULT_CAPABILITIES, settle_seconds=settings.SETTLE_SECONDS)
    return http_courier.HttpCourier(config["base_url"], secret=config["secret"], capabilities=can)


_GATEWAYS = {"http": _http_gateway, "stripe": _stripe, "store_credit": _store_credit, "manual": _manual}
_COURIERS = {"http": _http_courier}
