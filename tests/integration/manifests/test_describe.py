"""`manage.py describe` of policies and channels: what is wanted, what holds, which policy an order is refunded by."""

import re
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from orders.models import Channel, Order
from refunds.records import counted
from refunds.services.manifests.applying import approve_manifest
from refunds.services.manifests.removing import delete_manifest
from tests.factories import request
from tests.integration.engine.returns import bought
from tests.integration.operators.test_describe import rows, value
from tests.integration.policies.declared import ITS_END, OPERATOR, channel, policy

pytestmark = pytest.mark.django_db


def describe(subject: str) -> str:
    out = StringIO()
    call_command("describe", subject, stdout=out)
    return out.getvalue()


def labelled(**labels: str) -> Order:
    order = bought(1000)
    Order.objects.filter(pk=order.pk).update(labels=labels)
    return Order.objects.get(pk=order.pk)


def test_a_policy_is_told_with_what_holds_of_it() -> None:
    policy("fresh", window={"days": 7}, selector={"labels": {"kind": "fresh"}})
    policy("fresh", window={"days": 9}, selector={"labels": {"kind": "fresh"}})
    text = describe("refundpolicy/fresh")
    assert value(text, "Generation") == "2 (observed 2), applied by operator:ann"
    assert value(text, "In force") == "generation 1"
    assert "  window:\n    days: 9\n" in text
    conditions = {row[0]: (row[1], row[3]) for row in rows(text, "Conditions")}
    assert conditions["ApprovalConformant"] == ("False", "Missing")
    assert [(row[0], row[-1]) for row in rows(text, "Versions")] == [("2", "operator:ann"), ("1", "in force")]


def test_running_refunds_are_counted_by_generation() -> None:
    policy("all", selector={}, limits={"instantMinor": {"EUR": 0}}, suspend=True)
    request(bought(1000))
    request(bought(1000))
    policy("all", selector={}, limits={"instantMinor": {"EUR": 0}}, suspend=True, window={"days": 30})
    request(bought(1000))
    assert rows(describe("policy/all"), "Running refunds") == [["1", "2"], ["2", "1"]]


def test_the_precedence_among_those_in_force_is_told() -> None:
    policy("low", selector={"labels": {"kind": "fresh"}}, precedence=1)
    policy("high", selector={"channels": ["default"]}, precedence=5)
    policy("other", selector={"labels": {"kind": "books"}}, precedence=9)
    text = describe("policy/low")
    assert rows(text, "Precedence for orders of default with kind=fresh") == [
        ["high", "its selector fits, precedence 5"],
        ["low", "its selector fits, precedence 1"],
        ["built-in", "it comes with the product"],
    ]


def test_a_policy_that_channels_name() -> None:
    policy("named")
    assert value(describe("policy/named"), "Precedence").startswith("no selector, and no channel names it")
    channel("shop", policy="named")
    text = describe("policy/named")
    assert rows(text, "Precedence for orders of shop")[0] == ["named", "the channel names it"]


def test_a_channel_is_told_with_its_names_and_policies() -> None:
    policy("fresh", selector={"labels": {"kind": "fresh"}, "channels": ["shop"]}, precedence=3)
    policy("elsewhere", selector={"channels": ["default"]})
    policy("named")
    channel("shop", hostnames=["shop.example"], policy="named")
    text = describe("channel/shop")
    assert ["hostnames", "shop.example"] in rows(text, "Names")
    assert rows(text, "Policies") == [
        ["fresh", "kind=fresh", "its selector fits, precedence 3"],
        ["named", "any", "the channel names it"],
        ["built-in", "any", "it comes with the product"],
    ]


def test_a_policy_that_a_channel_names_is_also_for_orders_that_its_selector_does_not_fit() -> None:
    policy("fresh", selector={"labels": {"kind": "fresh"}})
    channel("shop", policy="fresh")
    assert value(describe("policy/fresh"), "Named by channels") == "shop"
    assert rows(describe("channel/shop"), "Policies")[:2] == [
        ["fresh", "kind=fresh", "its selector fits, precedence 0"],
        ["fresh", "any", "the channel names it"],
    ]


def test_an_order_tells_which_policy_would_apply_and_why() -> None:
    policy("fresh", selector={"labels": {"kind": "fresh"}}, precedence=3)
    Channel.objects.filter(is_default=True).update(policy="named")
    policy("named")
    assert [row[0] for row in rows(describe(f"order/{labelled(kind='fresh').number}"), "Policies")] == [
        "fresh",
        "named",
        "built-in",
    ]
    assert rows(describe(f"order/{labelled().number}"), "Policies")[0] == ["named", "the channel names it"]


def test_what_is_being_removed_and_what_was_approved_is_told() -> None:
    policy("p", returns={"approve": True})
    delete_manifest("RefundPolicy", "p", OPERATOR)
    approve_manifest("RefundPolicy", "p", "unapproved: alone", OPERATOR, seen=ITS_END)
    text = describe("policy/p")
    assert value(text, "Approval") == "unapproved: alone (operator:ann, of generation 1)"
    assert value(text, "Being removed").endswith("waits for refunds-in-flight")


def test_a_policy_of_which_nothing_is_in_force() -> None:
    policy("p", clocks={"review": "0s"})
    text = describe("policy/p")
    assert value(text, "In force") == "nothing"
    assert re.search(r"Running refunds: +<none>", text)


def test_a_description_costs_a_constant_number_of_statements() -> None:
    def cost(subject: str) -> int:
        with CaptureQueriesContext(connection) as queries, counted() as statements:
            describe(subject)
        return len(queries) + len(statements)

    policy("a", selector={})
    channel("shop")
    few = [cost("policy/a"), cost("channel/shop")]
    for n in range(5):
        policy(f"p{n}", selector={})
        channel(f"shop{n}", policy="a")
        policy("a", selector={}, window={"days": 30 - n})
    assert [cost("policy/a"), cost("channel/shop")] == few
    assert max(few) <= 6


@pytest.mark.parametrize("subject", ["policy/none", "channel/none", "policy/", "pod/x"])
def test_what_is_not_there_is_an_error(subject: Any) -> None:
    with pytest.raises(CommandError):
        describe(subject)
