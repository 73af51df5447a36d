"""What goes wrong in the web process leaves its traceback in the log, once, whichever door it went wrong behind."""

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from orders.models import Order
from orders.roles import Role
from tests.factories import make_order
from tests.integration.console.people import Person
from tests.integration.pages.conftest import Customer
from tests.integration.refunds_api.clients import Caller

pytestmark = pytest.mark.django_db


def page(order: Order) -> int:
    return Customer(order).get().status_code


def console(order: Order) -> int:
    person = Person(Role.SUPPORT)
    person.client.raise_request_exception = False
    return person.client.get(f"/console/orders/{order.pk}/").status_code


def api(order: Order) -> int:
    caller = Caller(order.channel, role=Role.SHOP)
    return caller.get(f"/orders/{order.number}").status


def front(order: Order) -> int:
    return Client(raise_request_exception=False).get("/").status_code


@pytest.mark.parametrize("door", [page, console, api, front])
def test_a_mistake_of_ours_leaves_one_traceback(
    door: Callable[[Order], int], caplog: pytest.LogCaptureFixture, settings: Any, tmp_path: Path
) -> None:
    settings.DEMO_FILE = str(tmp_path / "demo.json")
    Path(settings.DEMO_FILE).write_text(json.dumps({"links": {}}))
    order = make_order()
    Order.objects.filter(pk=order.pk).update(discounts=[{"no": "label"}], shipping_address=["no address"])
    with caplog.at_level(logging.ERROR):
        assert door(Order.objects.get(pk=order.pk)) == 500
    [told] = [record for record in caplog.records if record.exc_info]
    assert "Traceback" in logging.Formatter().format(told)
