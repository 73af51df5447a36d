"""From a channel's manifest to the addresses that are told."""

import pytest

from orders.models import Channel
from refunds.models import Manifest, WebhookEndpoint
from tests.integration.hooks.hooked import follow, happened
from tests.integration.policies.declared import channel, synced
from tests.integration.refunds_api import rows

pytestmark = pytest.mark.django_db(transaction=True)
URL, OTHER = "https://shop.example/hooks", "https://shop.example/other"


def apply(*hooks: dict[str, object], **spec: object) -> Manifest:
    return channel("oak", webhooks=list(hooks), **spec)


def hook(url: str, *types: str, secret: str = "env:OAK") -> dict[str, object]:
    return {"url": url, "secret": secret} | ({"types": list(types)} if types else {})


def told() -> dict[str, tuple[str, list[str], bool]]:
    found = WebhookEndpoint.objects.filter(channel__slug="oak")
    return {e.url: (e.secret, e.types, e.removed_at is None and e.disabled_at is None) for e in found}


def test_its_addresses_follow_the_manifest() -> None:
    apply(hook(URL))
    assert told() == {URL: ("env:OAK", [], True)}
    apply(hook(URL, "refund.refunded", secret="env:NEW"), hook(OTHER))
    assert told() == {URL: ("env:NEW", ["refund.refunded"], True), OTHER: ("env:OAK", [], True)}
    apply(hook(OTHER))
    assert told() == {URL: ("env:NEW", ["refund.refunded"], False), OTHER: ("env:OAK", [], True)}


def test_what_happens_from_then_on_is_owed() -> None:
    apply(hook(URL))
    happened(rows.Case(Channel.objects.get(slug="oak")).refund, "refund.requested")
    assert [d.endpoint.url for d in follow(until=1)] == [URL]


def test_only_a_change_of_the_manifest_opens_an_address_that_said_gone() -> None:
    manifest = apply(hook(URL))
    WebhookEndpoint.objects.update(disabled_at="2026-01-01T00:00Z")
    synced(manifest)
    apply(hook(URL))
    assert told()[URL][2] is False, "applied as it stands, nothing changes"
    apply(hook(URL), title="Oak")
    assert told()[URL][2] is True


def test_a_channel_that_is_retired_is_told_of_its_end() -> None:
    apply(hook(URL))
    oak = Channel.objects.get(slug="oak")
    refund = rows.Case(oak).refund
    Channel.objects.filter(pk=oak.pk).update(retired_at="2026-01-01T00:00Z")
    happened(refund, "refund.refunded")
    assert [d.event.kind for d in follow(until=1)] == ["refund.refunded"]
