"""Refunds of delivered goods at each station of the way back, brought there by the services themselves."""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from orders import clock
from orders.roles import SYSTEM, Actor, Role
from orders.services.lines import Sku
from refunds.destinations import code_of
from refunds.models import Refund, TargetChange
from refunds.services.acts import Approval, Inspected, Offer, Target, approve, hold, inspect, offer, receive, reject
from refunds.states import Goods
from tests.factories import make_order, request, ship
from tests.integration.engine.conftest import Engine
from tests.integration.engine.returns import in_force
from tests.integration.refunds_api import rows

SALT = "0" * 32
KEEP, ALREADY_SENT = Goods.KEEP, Goods.ALREADY_SENT
CUSTOMER_SERVICE = Actor("principal:0", Role.SUPPORT)
WAREHOUSE = Actor("principal:0", Role.WAREHOUSE)


def on(refund: Refund) -> Target:
    return Target(refund.number, [refund.order.channel_id])


def in_review(**wanted: Any) -> Refund:
    """Three delivered things of 10.00 each, asked back by somebody whom no key belongs to."""
    order = make_order(1000, quantity=3)
    ship(order)
    [refund] = request(order, **{"actor": SYSTEM} | wanted).refunds
    Engine().begin(refund)
    return Refund.objects.get(pk=refund.pk)


def awaiting() -> Refund:
    return approve(on(in_review()), Approval(), actor=CUSTOMER_SERVICE)


def offered() -> Refund:
    return offer(on(in_review()), Offer(300, "A scratch."), actor=CUSTOMER_SERVICE)


def rejected() -> Refund:
    return reject(on(in_review()), reason="Worn.", actor=CUSTOMER_SERVICE)


def denied() -> Refund:
    """Delivered, and not received, says the customer: the delivery is to be proved."""
    return in_review(goods=Goods.NOT_RECEIVED)


def on_its_way() -> Refund:
    """Three things of 10.00 each of which no carrier reports."""
    order = make_order(1000, quantity=3)
    ship(order, "shipped")
    [refund] = request(order, actor=SYSTEM).refunds
    Engine().begin(refund)
    return Refund.objects.get(pk=refund.pk)


def needs_a_second() -> Refund:
    """Approved, under a policy by which two have to."""
    in_force(second_approval_minor={"EUR": 1500})
    return awaiting()


def may_pass_alone() -> Refund:
    """The same, and finance may do without."""
    in_force(second_approval_minor={"EUR": 1500}, second_bypass=True)
    return awaiting()


def held() -> Refund:
    return hold(on(in_review()), until=None, actor=CUSTOMER_SERVICE)


def unconfirmed() -> Refund:
    """Three unshipped things under a policy that waits to hear that they stay."""
    in_force(stop_shipment="confirm")
    [refund] = request(make_order(1000, quantity=3)).refunds
    return refund


def inspecting() -> Refund:
    return receive(on(awaiting()), actor=WAREHOUSE)


def refused_in_part() -> Refund:
    return inspect(on(inspecting()), [Inspected(Sku("A"), accepted=2, damaged=1)], actor=WAREHOUSE)


def failed() -> Refund:
    order = rows.an_order(rows.default_channel(), held=1, withheld=1, refunded_minor=500)
    refund = rows.a_refund(order, state="failed")
    rows.a_movement(refund, account="sandbox", state="failed")
    return refund


def awaiting_code() -> Refund:
    """It is to go back by an agent's word, which waits for `code()`."""
    refund = failed()
    now = clock.now()
    TargetChange.objects.create(
        refund=refund,
        instrument="original",
        asked_by="principal:0",
        asked_at=now,
        code_salt=SALT,
        code_channel="sms",
        code_to="+49151000001",
        code_expires_at=now + timedelta(minutes=15),
    )
    Refund.objects.filter(pk=refund.pk).update(code_until=now + timedelta(minutes=15))
    return Refund.objects.get(pk=refund.pk)


def code() -> str:
    return code_of(settings.SECRET_KEY, SALT)


def refunded() -> Refund:
    return rows.a_refund(rows.an_order(rows.default_channel()), state="refunded")


def in_days(days: float) -> datetime:
    return clock.now() + timedelta(days=days)
