"""Numbers of a channel's refunds: the installation's prefix, the channel's, and the id."""

import pytest

from orders.models import Channel
from orders.registry import Registry
from orders.roles import Role
from refunds.models import GatewayRefund, Pickup, Refund
from refunds.selectors.refunds import refund_anywhere, refund_by_number, refunds_numbered
from refunds.selectors.search import refunds_spoken_of
from tests.factories import make_order, request
from tests.integration.channels.manifests import declare, served
from tests.integration.engine.conftest import Engine
from tests.integration.orders.conftest import ORDER, MakeApi
from tests.integration.pages.conftest import Customer

pytestmark = pytest.mark.django_db
LONGEST = 10**14 - 1


@pytest.fixture
def fashion(channels: Registry) -> Channel:
    declare("fashion", numberPrefix="FH")
    return served("fashion")


def test_refund_request_and_movement_have_it_and_are_found_by_it(fashion: Channel) -> None:
    asked = request(make_order(channel=fashion))
    [refund] = asked.refunds
    assert refund.number == f"RF-FH-{refund.pk}"
    assert asked.request == f"RF-FH-R{refund.pk}"
    Engine().run(refund)
    assert GatewayRefund.objects.get().number == f"RF-FH-{refund.pk}-1"
    here = [fashion.pk]
    assert refund_by_number(refund.number.lower(), channels=here).pk == refund.pk
    assert refund_anywhere(refund.number).pk == refund.pk
    assert [each.pk for each in refunds_numbered([refund.number], channels=here)] == [refund.pk]
    for spoken in (refund.number, refund.number.lower(), asked.request):
        assert refunds_spoken_of(spoken, channels=here) == [refund.pk]
    assert refunds_spoken_of(f"RF-FX-{refund.pk}", channels=here) == []


def test_the_api_and_the_customer_s_page_know_it_by_its_number(fashion: Channel, api_of: MakeApi) -> None:
    shop = api_of(Role.SHOP, fashion)
    assert shop("PUT", "orders/1", ORDER).status_code == 201
    lines = [{"sku": "MUG", "quantity": 1}]
    asked = shop("POST", "orders/1/refunds", {"lines": lines, "reason": "changed_mind"}).json()
    refund = Refund.objects.get()
    assert (asked["request"], asked["refunds"][0]["metadata"]["number"]) == (f"RF-FH-R{refund.pk}", refund.number)
    assert shop("GET", f"refunds/{refund.number}").status_code == 200
    agent = api_of(Role.SUPPORT, fashion)
    assert agent("POST", f"refunds/{refund.number}/hold", {}).status_code == 200
    page = Customer(refund.order).get(f"/requests/{asked['request']}")
    assert page.status_code == 200
    assert asked["request"] in page.content.decode()


def test_other_channels_keep_their_numbers_and_those_of_before_stay(fashion: Channel) -> None:
    [before] = request(make_order(channel=fashion)).refunds
    [other] = request(make_order()).refunds
    assert other.number == f"RF-{other.pk}"
    declare("fashion", numberPrefix="FX")
    [after] = request(make_order(channel=fashion)).refunds
    assert after.number == f"RF-FX-{after.pk}"
    assert refund_anywhere(before.number).number == f"RF-FH-{before.pk}"


def test_the_longest_there_can_be_fits() -> None:
    longest = "-".join(["P" * 12, "C" * 12, str(LONGEST)])
    assert len(longest) <= Refund._meta.get_field("number").max_length
    assert len(f"{longest}-999") <= GatewayRefund._meta.get_field("number").max_length
    assert len(f"{longest}-P999") <= Pickup._meta.get_field("number").max_length
