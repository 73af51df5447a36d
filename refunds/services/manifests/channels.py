"""The controller of channels: names, then what is served, then whether every web process serves it.

A channel is served with the names it got; where it lost one, it goes on with those it had. Removed, it takes nothing
new at once, and is retired when its last refund has ended: its name is free then, and whoever takes it begins anew.
"""

from collections.abc import Iterable
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.db import IntegrityError, transaction

from orders.models import Channel, Order
from refunds.conditions import FALSE, TRUE, UNKNOWN, Condition
from refunds.declared import structure
from refunds.declared.approval import opens
from refunds.declared.channel_rules import DeclaredChannel, read_channel
from refunds.declared.governing import looser_for_channel
from refunds.declared.names import Accepted, Name, accept, wanted
from refunds.models import HeldName, Manifest, PolicyInForce, Refund, WebProcess
from refunds.selectors.policies import governing_now, policies_naming
from refunds.services.couriers import is_configured
from refunds.services.hooks.endpoints import closed_addresses, declare_endpoints
from refunds.services.manifest_wakes import wake_losers, wake_policies_for
from refunds.services.manifests.agreeing import agreement, one_at_a_time
from refunds.services.manifests.found import Found
from refunds.states import FINAL_STATES
from workers.declared_secrets import secret_of
from workers.secrets import SecretMissing

#: A web process that was not heard of for so long serves nobody.
LIVE_SECONDS = 10.0
WAIT_FOR_WEB_SECONDS = 1.0
CLOSING_SECONDS = 5.0
#: What this depends on may have come since: a policy, a name that was let go without a word.
LOOK_AGAIN_SECONDS = 30.0


def sync_channel(row: Manifest, now: datetime) -> Found:
    """One pass. The row is locked."""
    if row.deletion_at is not None:
        return _remove(row, now)
    declared, unreadable = read_channel(row.spec)
    if declared is None:
        said = [structure.violated(unreadable)]
        return Found([*said, _ready(said)], row.status)
    names = _reserve(row, declared)
    channel, word = _serve(row, declared, names, now)
    said = [names.condition, _established(channel, now), _policy_found(declared), *_secrets_found(row.name, declared)]
    said += [*_courier_found(declared), *_webhooks_open(channel), *([word] if word else [])]
    said.append(_ready(said))
    held: dict[str, list[str]] = {}
    for name in sorted(names.names):
        held.setdefault(name.scope, []).append(name.value)
    is_waiting = any(c.status != TRUE for c in said)
    is_installing = said[1].status != TRUE
    look_in = WAIT_FOR_WEB_SECONDS if is_installing else LOOK_AGAIN_SECONDS if is_waiting else None
    return Found(said, {"acceptedNames": held}, look_in=look_in)


def _reserve(row: Manifest, declared: DeclaredChannel) -> Accepted:
    """Hold what is free. Of two that want one name at once the unique constraint lets one have it: the other looks
    again."""
    wishes = wanted(row.name, declared)
    for _ in range(3):
        held = {Name(n.scope, n.value) for n in HeldName.objects.filter(manifest=row)}
        accepted = accept(wishes, held=held, taken=_taken(wishes.values(), row))
        try:
            with transaction.atomic():
                _hold(row, accepted, held)
        except IntegrityError:
            continue
        return accepted
    raise RuntimeError(f"{row}: its names are taken and let go again by others all the time")


def _taken(wishes: Iterable[tuple[Name, ...]], row: Manifest) -> dict[Name, str]:
    values = [name.value for names in wishes for name in names]
    found = HeldName.objects.filter(value__in=values).exclude(manifest=row).select_related("manifest")
    return _of_the_installation() | {Name(n.scope, n.value): n.manifest.name for n in found}


def _of_the_installation() -> dict[Name, str]:
    """Its accounts, and the hosts that all links of all shops lead to."""
    accounts = {Name("accounts", account) for account in (*settings.GATEWAY_ACCOUNTS, *settings.COURIER_ACCOUNTS)}
    hosts = {Name("hostnames", host) for host in (*settings.OWN_HOSTS, urlsplit(settings.BASE_URL).hostname) if host}
    return dict.fromkeys(accounts | hosts, "the installation")


def _hold(row: Manifest, accepted: Accepted, held: set[Name]) -> None:
    fresh = sorted(accepted.names - held)
    HeldName.objects.bulk_create([HeldName(manifest=row, scope=n.scope, value=n.value) for n in fresh])
    for name in held - accepted.names:
        HeldName.objects.filter(manifest=row, scope=name.scope, value=name.value).delete()
    if held - accepted.names:
        wake_losers(row)


def _serve(
    row: Manifest, declared: DeclaredChannel, names: Accepted, now: datetime
) -> tuple[Channel, Condition | None]:
    """Write what the web processes serve, if it is of another generation, or has other names, than before. Another
    policy that loosens what its orders have waits for a second person's word."""
    channel, is_new = Channel.objects.get_or_create(slug=row.name, retired_at=None, defaults={"name": row.name})
    if is_new:
        wake_policies_for(row.name)
    columns, word = _columns(row, declared, names), _judged(row, declared, channel)
    if not opens(word):
        columns["policy"] = channel.policy
    changed = [name for name, value in columns.items() if getattr(channel, name) != value]
    if changed:
        for name in changed:
            setattr(channel, name, columns[name])
        channel.save(update_fields=changed)
        declare_endpoints(channel, now=now)
    return channel, word


def _judged(row: Manifest, declared: DeclaredChannel, channel: Channel) -> Condition | None:
    """A channel without orders can name what it likes."""
    if declared.policy == channel.policy or not Order.objects.filter(channel=channel).exists():
        return None
    one_at_a_time()
    now = governing_now()
    after = replace(now, channels={**now.channels, channel.slug: declared.policy})
    return agreement(row, looser_for_channel(now, after, channel.slug))


def _columns(row: Manifest, declared: DeclaredChannel, names: Accepted) -> dict[str, object]:
    held = {scope: [n.value for n in sorted(names.names) if n.scope == scope] for scope in wanted(row.name, declared)}
    own = {account.name for account in declared.accounts} & set(held["accounts"])
    return {
        "name": declared.title or row.name,
        "default_locale": declared.default_locale,
        "sender": declared.sender,
        "contact": declared.contact,
        "return_address": dict(declared.return_address),
        "time_zone": declared.time_zone,
        "hostnames": held["hostnames"],
        "origins": list(declared.origins),
        "number_prefix": next(iter(held["numberPrefix"]), ""),
        "courier": declared.courier,
        "policy": declared.policy,
        "accounts": [asdict(account) for account in declared.accounts if account.name in own],
        "webhooks": [asdict(hook) | {"types": list(hook.types)} for hook in declared.webhooks],
        "served_generation": row.generation,
    }


def _established(channel: Channel, now: datetime) -> Condition:
    """True once every live web process has loaded this generation."""
    live = WebProcess.objects.filter(seen_at__gt=now - timedelta(seconds=LIVE_SECONDS))
    loaded = [process.loaded.get(channel.slug) for process in live]
    if not loaded:
        return Condition("Established", UNKNOWN, "NoWebProcess", "No web process is running.")
    ready = sum(generation == channel.served_generation for generation in loaded)
    message = f"{ready} of {len(loaded)} web processes serve generation {channel.served_generation}."
    if ready < len(loaded):
        return Condition("Established", FALSE, "Installing", message)
    return Condition("Established", TRUE, "Served", message)


def _policy_found(declared: DeclaredChannel) -> Condition:
    if not declared.policy:
        return Condition("PolicyFound", TRUE, "BuiltIn", "No policy is named: the built-in rules apply.")
    if PolicyInForce.objects.filter(name=declared.policy).exists():
        return Condition("PolicyFound", TRUE, "InForce", f"The policy {declared.policy} is in force.")
    detail = f"There is no policy {declared.policy} in force: the built-in rules apply."
    return Condition("PolicyFound", FALSE, "NotInForce", detail)


def _secrets_found(channel: str, declared: DeclaredChannel) -> list[Condition]:
    """What is referred to is read by the processes that need it, from what they have; this one says what it lacks."""
    references = [r for account in declared.accounts for r in (account.secret, account.webhook_secret) if r]
    references += [hook.secret for hook in declared.webhooks]
    lacking = []
    for reference in references:
        try:
            secret_of(reference, channel)
        except SecretMissing as missing:
            lacking.append(str(missing))
    if lacking:
        return [Condition("SecretsFound", FALSE, "Missing", "; ".join(dict.fromkeys(lacking)))]
    return [Condition("SecretsFound", TRUE, "Found", "All of them are there.")] if references else []


def _courier_found(declared: DeclaredChannel) -> list[Condition]:
    if not declared.courier:
        return []
    if is_configured(declared.courier):
        return [Condition("CourierFound", TRUE, "Configured", f"{declared.courier} fetches for it.")]
    detail = f"There is no courier account {declared.courier} here: the installation's courier goes instead."
    return [Condition("CourierFound", FALSE, "NotConfigured", detail)]


def _webhooks_open(channel: Channel) -> list[Condition]:
    if not channel.webhooks:
        return []
    if gone := closed_addresses(channel):
        detail = f"{', '.join(gone)}: the shop has answered 410 Gone, and nothing is sent there. Take it out of"
        detail += " spec.webhooks, or apply the channel with a change once the shop is to be told there again."
        return [Condition("WebhooksOpen", FALSE, "Gone", detail)]
    return [Condition("WebhooksOpen", TRUE, "Open", "No address has asked to be told nothing more.")]


def _ready(said: list[Condition]) -> Condition:
    wrong = [c.type for c in said if c.status != TRUE or c.type == structure.TYPE]
    if wrong:
        return Condition("Ready", FALSE, "NotReady", f"See {', '.join(wrong)}.")
    return Condition("Ready", TRUE, "Served", "The channel is served as it was applied.")


def _remove(row: Manifest, now: datetime) -> Found:
    channel = Channel.objects.select_for_update(no_key=True).filter(slug=row.name, retired_at=None).first()
    if channel is None:
        wake_losers(row)
        return Found(is_gone=True)
    if said := _kept(channel):
        return Found([said], row.status, look_in=CLOSING_SECONDS)
    channel.retired_at = now
    channel.save(update_fields=["retired_at"])
    wake_losers(row)
    return Found(is_gone=True)


def _kept(channel: Channel) -> Condition | None:
    """What it waits for. A policy that still names it would be for the orders of whoever takes its name next."""
    open_ones = Refund.objects.filter(order__channel=channel, next_reconcile_at__isnull=False)
    if count := open_ones.exclude(state__in=sorted(FINAL_STATES)).count():
        return Condition("Terminating", TRUE, "RefundsInFlight", f"{count} refunds are still running.")
    if names := policies_naming(channel.slug):
        detail = f"{', '.join(names)}: remove what is for its orders, or apply it without the channel."
        return Condition("Terminating", TRUE, "NamedByPolicies", detail)
    return None
