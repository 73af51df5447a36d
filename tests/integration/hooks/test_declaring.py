"""From a channel's manifest to the addresses that are told."""

import pytest

from orders.models import Channel
from refunds.models import Manifest, WebhookEndpoint
from tests.integration.hooks.hooked import delivery_of, follow, happened
from tests.integration.policies.declared import channel, said, synced
from tests.integration.refunds_api import rows
from workers.adapters.webhook_sender import WebhookSender
from workers.contract import Answered
from workers.ports import GONE, Refused
from workers.reconcilers.manifests import ManifestReconciler
from workers.reconcilers.webhooks import WebhookReconciler
from workers.room import Room
from workers.workqueue import Lease

pytestmark = pytest.mark.django_db(transaction=True)
URL, OTHER = "https://shop.example/hooks", "https://shop.example/other"


@pytest.fixture
def reconciler() -> WebhookReconciler:
    return WebhookReconciler(WebhookSender(secret_of=lambda *_: "", allow_private=True))


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


def test_an_address_that_said_gone_is_a_condition_of_the_channel_until_it_is_named_anew(reconciler) -> None:
    manifest = apply(hook(URL), hook(OTHER))
    assert said(manifest)["WebhooksOpen"] == ("True", "Open")
    Manifest.objects.update(next_reconcile_at=None)
    delivery = delivery_of(rows.Case(Channel.objects.get(slug="oak")).refund, WebhookEndpoint.objects.get(url=URL), "x")
    (call,) = reconciler.begin([Lease("webhooks", str(delivery.pk), "token")], Room(8, lambda: 8)).calls
    reconciler.record([Answered(call, Refused(GONE))])
    assert ManifestReconciler().due(10) == [str(manifest.pk)], "whose wake-up may be lost"
    manifest = synced(manifest)
    assert said(manifest)["WebhooksOpen"] == ("False", "Gone") and said(manifest)["Ready"][0] == "False"
    [told] = [c["message"] for c in manifest.conditions if c["type"] == "WebhooksOpen"]
    assert URL in told and OTHER not in told and "410" in told
    assert said(apply(hook(OTHER)))["WebhooksOpen"] == ("True", "Open")
    assert "WebhooksOpen" not in said(apply(title="Oak"))


def test_a_channel_that_is_retired_is_told_of_its_end() -> None:
    apply(hook(URL))
    oak = Channel.objects.get(slug="oak")
    refund = rows.Case(oak).refund
    Channel.objects.filter(pk=oak.pk).update(retired_at="2026-01-01T00:00Z")
    happened(refund, "refund.refunded")
    assert [d.event.kind for d in follow(until=1)] == ["refund.refunded"]
