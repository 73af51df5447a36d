"""A channel's own courier fetches what its customers give back, where it is one that is configured."""

from typing import Any

import pytest

from orders.models import Channel
from orders.registry import Registry
from refunds.models import Pickup, Refund
from refunds.parcels import ParcelAct
from refunds.services.acts import Approval, Target, approve
from refunds.services.couriers import courier_for
from refunds.services.reconcile import ParcelOut
from tests.factories import make_order, request, ship
from tests.integration.channels.manifests import declare, said, served
from tests.integration.engine.conftest import Engine
from tests.integration.engine.returns import AGENT

pytestmark = pytest.mark.django_db(transaction=True)
HOME = {"name": "Ada", "street": "Hauptstr. 1", "postal_code": "10115", "city": "Berlin", "country": "DE"}


@pytest.fixture(autouse=True)
def two_couriers(settings: Any, channels: Registry) -> None:
    settings.COURIER = "first"
    settings.COURIER_ACCOUNTS = {"first": {}, "second": {}}


@pytest.fixture
def fashion() -> Channel:
    declare("fashion", courier="second")
    return served("fashion")


def called(channel: Channel, state: str) -> tuple[Refund, ParcelOut]:
    """What is asked of whom first about goods of this channel that come back."""
    order = make_order(channel=channel, shipping_address=HOME)
    ship(order, state)
    [refund] = request(order).refunds
    engine = Engine()
    calls = engine.begin(refund).calls
    if not calls:
        approve(Target(refund.number, [channel.pk]), Approval(), actor=AGENT)
        calls = engine.begin(refund).calls or engine.begin(refund).calls
    [out] = calls
    assert isinstance(out, ParcelOut)
    return refund, out


def test_it_is_booked_with_the_channel_s_courier_and_stays_his(fashion: Channel) -> None:
    _, out = called(fashion, "delivered")
    assert (out.act, out.account) == (ParcelAct.BOOK, "second")
    declare("fashion", courier="first")
    served("fashion")
    assert Pickup.objects.get().account == "second"
    _, other = called(Channel.objects.get(is_default=True), "delivered")
    assert other.account == "first"


def test_a_parcel_on_its_way_out_is_stopped_by_the_channel_s_courier(fashion: Channel) -> None:
    _, out = called(fashion, "shipped")
    assert (out.act, out.account) == (ParcelAct.INTERCEPT, "second")


def test_slots_are_asked_of_the_channel_s_courier(fashion: Channel) -> None:
    assert courier_for(make_order(channel=fashion)) == "second"
    assert courier_for(make_order()) == "first"


@pytest.mark.parametrize("named", ["nobody", ""])
def test_one_that_is_not_configured_is_told_and_the_installation_s_goes(named: str) -> None:
    row = declare("fashion", **({"courier": named} if named else {}))
    assert courier_for(make_order(channel=served("fashion"))) == "first"
    types = [condition["type"] for condition in row.conditions]
    assert ("CourierFound" in types) == bool(named)
    if named:
        assert said(row, "CourierFound") == ("False", "NotConfigured")
        assert said(declare("fashion", courier="second"), "CourierFound") == ("True", "Configured")
