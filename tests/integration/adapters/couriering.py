"""The courier's calls as tests make them, through the adapter."""

from typing import Any

from tests.integration.adapters.conftest import Sandbox
from tests.integration.adapters.peers import budget
from workers.ports import Booked, Booking, ParcelFact, ParcelsFound, ParcelStatus, PickupOrder


def book(sandbox: Sandbox, order: PickupOrder, *, seconds: float = 5.0) -> Booking:
    return sandbox.courier.book(order, budget=budget(seconds))


def booked(sandbox: Sandbox, order: PickupOrder) -> ParcelFact:
    reply = book(sandbox, order)
    assert isinstance(reply, Booked), reply
    return reply.fact


def cancel(sandbox: Sandbox, fact: ParcelFact, *, key: str, seconds: float = 5.0) -> Any:
    return sandbox.courier.cancel(fact.number, waybill=fact.waybill, key=key, budget=budget(seconds))


def found(sandbox: Sandbox, number: str) -> list[ParcelStatus]:
    reply = sandbox.courier.look_up(number, budget=budget())
    assert isinstance(reply, ParcelsFound), reply
    return [fact.status for fact in reply.facts]


def track(sandbox: Sandbox, waybill: str) -> list[ParcelStatus]:
    reply = sandbox.courier.track(waybill, budget=budget())
    assert isinstance(reply, ParcelsFound), reply
    return [fact.status for fact in reply.facts]
