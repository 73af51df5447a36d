"""A channel that is removed takes nothing new, finishes what runs, and is gone; its name then begins anew."""

from typing import Any

import pytest

from orders.models import Channel, Order
from orders.registry import Registry
from orders.roles import Role
from refunds.declared.envelope import Declared
from refunds.models import HeldName, Manifest, ManifestVersion, Refund
from refunds.selectors.books_closes import channel_named
from refunds.services.manifests.applying import apply_manifest, approve_manifest
from refunds.services.manifests.removing import delete_manifest
from tests.factories import make_order, request
from tests.integration.channels.manifests import OPERATOR, declare, look_at_what_goes, remove, said, served
from tests.integration.engine.conftest import Engine
from tests.integration.orders.conftest import ORDER, MakeApi, refused
from tests.integration.policies.declared import AGREED, BOB, ITS_END, policy, synced

pytestmark = pytest.mark.django_db
LINES = {"lines": [{"sku": "MUG", "quantity": 1}], "reason": "changed_mind"}


def test_a_closing_channel_takes_nothing_new_and_is_read_and_finished(api_of: MakeApi, channels: Registry) -> None:
    """Check 66: creations are refused; reads and what runs go on. TestApplyCRDuringCRDFinalization"""
    declare("fashion")
    shop = api_of(Role.SHOP, served("fashion"))
    assert shop("PUT", "orders/1", ORDER).status_code == 201
    asked = shop("POST", "orders/1/refunds", LINES)
    assert asked.status_code == 202, asked.content
    [running] = asked.json()["refunds"]
    remove("fashion")
    assert not look_at_what_goes("fashion")
    assert said(Manifest.objects.get(), "Terminating") == ("True", "RefundsInFlight")
    assert served("fashion").closing_at is not None
    assert [each.is_closing for each in channels.all() if each.slug == "fashion"] == [True]
    refused(shop("POST", "orders/1/refunds", LINES), 409, "channel_closing")
    refused(shop("PUT", "orders/2", ORDER), 409, "channel_closing")
    assert shop("PUT", "orders/1", ORDER | {"labels": {"late": "yes"}}).status_code == 200
    assert shop("GET", "orders/1").json()["labels"] == {"late": "yes"}
    assert shop("POST", "orders/1/shipments", {"lines": [{"sku": "TEA", "quantity": 1}]}).status_code == 201
    number = running["metadata"]["number"]
    assert shop("GET", f"refunds/{number}").status_code == 200
    Engine().run(*Refund.objects.filter(order__channel__slug="fashion"))
    assert shop("GET", f"refunds/{number}").json()["status"]["state"] == "refunded"
    assert look_at_what_goes("fashion")
    refused(shop("GET", "orders/1?channel=fashion"), 404, "not_found")


def test_from_the_answer_to_the_delete_on_nothing_new_is_taken(api_of: MakeApi, channels: Registry) -> None:
    """Before its controller has looked, and in whichever way it is asked for."""
    declare("fashion")
    shop = api_of(Role.SHOP, served("fashion"))
    assert shop("PUT", "orders/1", ORDER).status_code == 201
    boss = api_of(Role.SUPERVISOR, served("fashion"))
    assert boss("DELETE", "apis/channel/fashion?dry_run=true").status_code == 202
    assert shop("POST", "orders/1/refunds/preview", LINES).status_code == 200
    assert served("fashion").closing_at is None
    assert boss("DELETE", "apis/channel/fashion").status_code == 202
    refused(shop("POST", "orders/1/refunds", LINES), 409, "channel_closing")
    refused(shop("PUT", "orders/2", ORDER), 409, "channel_closing")
    assert served("fashion").closing_at == Manifest.objects.get().deletion_at


def test_a_channel_that_nobody_has_served_yet_can_be_let_go() -> None:
    apply_manifest(Declared("Channel", "fashion", {}), OPERATOR)
    remove("fashion")
    assert look_at_what_goes("fashion") and not Channel.objects.filter(slug="fashion").exists()


NAMES_IT: dict[str, Any] = {"selector": {"channels": ["default", "fashion"]}, "window": {"days": 7}}


@pytest.mark.parametrize("then", [{"selector": {"channels": ["default"]}, "window": {"days": 7}}, None])
def test_it_stays_as_long_as_a_policy_names_it(then: dict[str, Any] | None) -> None:
    """The policy would be for the orders of whoever takes the name next."""
    declare("fashion")
    policy("sale", **NAMES_IT)
    remove("fashion")
    assert not look_at_what_goes("fashion")
    assert said(Manifest.objects.get(name="fashion"), "Terminating") == ("True", "NamedByPolicies")
    if then:
        policy("sale", **then)
    else:
        synced(delete_manifest("RefundPolicy", "sale", OPERATOR))
        approve_manifest("RefundPolicy", "sale", AGREED, BOB, seen=ITS_END)
        synced(Manifest.objects.get(name="sale"))
    assert look_at_what_goes("fashion")


def test_it_stays_until_what_names_it_is_in_force_no_more() -> None:
    declare("fashion")
    policy("sale", **NAMES_IT)
    policy("sale", selector={"channels": ["default"]}, window={"days": 900})
    remove("fashion")
    assert not look_at_what_goes("fashion"), "the looser one waits for a second person"
    approve_manifest("RefundPolicy", "sale", AGREED, BOB)
    synced(Manifest.objects.get(name="sale"))
    assert look_at_what_goes("fashion")


def test_who_lets_go_both_needs_no_second_person() -> None:
    """What takes nothing new is governed no looser."""
    declare("fashion")
    policy("sale", **NAMES_IT | {"selector": {"channels": ["fashion"]}})
    remove("fashion")
    synced(delete_manifest("RefundPolicy", "sale", OPERATOR))
    assert not Manifest.objects.filter(name="sale").exists()
    assert look_at_what_goes("fashion")


def test_the_default_channel_takes_new_orders_while_another_one_goes(api_of: MakeApi, channels: Registry) -> None:
    declare("fashion")
    order = make_order(channel=served("fashion"))
    request(order)
    remove("fashion")
    assert not look_at_what_goes("fashion")
    assert api_of(Role.SHOP)("PUT", "orders/1", ORDER).status_code == 201


def test_declared_again_it_starts_clean(api_of: MakeApi, channels: Registry) -> None:
    """Check 67: no order, no key and no setting of its earlier life. TestDeRegistrationAndReRegistration"""
    first = declare("fashion", hostnames=["fashion.example"], numberPrefix="FH", contact="old@fashion.example")
    before = served("fashion")
    shop = api_of(Role.SHOP, before)
    assert shop("PUT", "orders/1", ORDER).status_code == 201
    declare("fashion", contact="older@fashion.example")
    remove("fashion")
    assert look_at_what_goes("fashion")
    again = declare("fashion", hostnames=["fashion.example"])
    now = served("fashion")
    assert (again.uid, again.generation, again.resource_version) != (
        first.uid,
        first.generation,
        first.resource_version,
    )
    assert (again.generation, again.finalizers, again.deletion_at) == (1, [], None)
    assert (now.contact, now.number_prefix, now.hostnames, now.closing_at) == ("", "", ["fashion.example"], None)
    assert now.pk != before.pk
    assert not Order.objects.filter(channel=now).exists()
    assert not now.principals.exists()
    refused(shop("GET", "orders/1?channel=fashion"), 404, "not_found")
    paid_anew = {"payments": [ORDER["payments"][0] | {"reference": "pay-2"}]}
    assert api_of(Role.SHOP, now)("PUT", "orders/1", ORDER | paid_anew).status_code == 201
    assert Channel.objects.filter(slug="fashion").count() == 2
    assert ManifestVersion.objects.filter(name="fashion").count() == 3


def test_a_second_delete_changes_nothing_and_the_last_refund_s_end_deletes(channels: Registry) -> None:
    """Check 71: it pends as long as a finalizer holds it. TestFinalization, TestFinalizationAndDeletion"""
    declare("fashion", hostnames=["fashion.example"])
    orders = [make_order(channel=served("fashion")) for _ in range(2)]
    first, second = (request(order).refunds[0] for order in orders)
    gone = remove("fashion")
    assert gone.finalizers == ["refunds-in-flight"]
    again = remove("fashion")
    assert _of(again) == _of(gone)
    assert not look_at_what_goes("fashion")
    pending = Manifest.objects.get()
    third = remove("fashion")
    assert _of(third) == _of(pending)
    Engine().run(first)
    assert not look_at_what_goes("fashion")
    assert HeldName.objects.filter(value="fashion.example").exists()
    Engine().run(second)
    assert look_at_what_goes("fashion")
    assert not HeldName.objects.exists()


def _of(row: Manifest) -> tuple[object, ...]:
    return row.resource_version, row.deletion_at, row.finalizers, row.updated_at, row.next_reconcile_at


def test_a_name_is_that_of_the_living_channel_and_of_the_last_where_there_is_none(channels: Registry) -> None:
    for contact in ("first@fashion.example", "second@fashion.example"):
        declare("fashion", contact=contact)
        assert channel_named("fashion").contact == contact
        remove("fashion")
        assert look_at_what_goes("fashion")
        assert channel_named("fashion").contact == contact
