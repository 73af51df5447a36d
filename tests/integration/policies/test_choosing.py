"""Which policy a refund is pinned to."""

import pytest

from orders.models import Channel
from refunds.models import Refund
from refunds.selectors.policies import policies_at
from tests.factories import make_order, request
from tests.integration.policies.declared import policy

pytestmark = pytest.mark.django_db


def pinned(**order: object) -> str:
    [refund] = request(make_order(1000, **order)).refunds
    return str(Refund.objects.get(pk=refund.pk).policy_version)


def test_without_a_declared_policy_the_built_in_one_applies() -> None:
    assert pinned().startswith("built-in/")


def test_labels_choose_and_the_higher_precedence_wins() -> None:
    policy("fashion", selector={"labels": {"kind": "fashion"}}, precedence=10)
    policy("everything", selector={}, precedence=1)
    assert pinned(labels={"kind": "fashion"}) == "fashion/1"
    assert pinned(labels={"kind": "food"}) == "everything/1"


def test_a_channel_names_the_policy_of_what_no_selector_asks_for() -> None:
    policy("named")
    policy("fashion", selector={"labels": {"kind": "fashion"}})
    Channel.objects.filter(is_default=True).update(policy="named")
    assert pinned() == "named/1"
    assert pinned(labels={"kind": "fashion"}) == "fashion/1"


def test_several_orders_of_one_batch_have_each_their_own() -> None:
    policy("fashion", selector={"labels": {"kind": "fashion"}})
    orders = [make_order(1000, labels={"kind": "fashion"}), make_order(1000)]
    found, _ = policies_at([order.pk for order in orders])
    assert len(set(found.values())) == 2
