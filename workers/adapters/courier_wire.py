"""The JSON of the signed courier protocol, read strictly: what is not exactly as agreed is a ValueError."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from workers.adapters.wire import a_list, an_object, moment, text
from workers.ports import CourierEvent, InterceptOrder, ParcelFact, ParcelStatus, PickupOrder, Slot

PARCEL_KIND = "parcel.updated"
LONGEST_REASON = 200


def pickup_body(order: PickupOrder) -> dict[str, Any]:
    """What a booking says; without a slot the courier chooses one."""
    body: dict[str, Any] = {
        "number": order.number,
        "refund": order.refund,
        "address": dict(order.address),
        "return_address": dict(order.return_address),
        "contact": dict(order.contact),
        "parcels": order.parcels,
    }
    if order.drop_off:
        body["drop_off"] = True
    if order.slot:
        body["slot"] = {"starts_at": order.slot.starts_at.isoformat(), "ends_at": order.slot.ends_at.isoformat()}
    return body


def intercept_body(order: InterceptOrder) -> dict[str, Any]:
    """What an intercept says."""
    names = ("number", "refund", "tracking_number", "carrier")
    return {name: getattr(order, name) for name in names}


def fact(data: Any) -> ParcelFact:
    """One parcel of an answer."""
    row = an_object(data)
    return _fact(row, row.get("occurred_at"))


def facts(data: Mapping[str, Any]) -> tuple[ParcelFact, ...]:
    """The `pickups` of a look-up, each as it stands."""
    return tuple(fact(row) for row in a_list(data, "pickups"))


def history(data: Mapping[str, Any]) -> tuple[ParcelFact, ...]:
    """All that is told of one parcel: the `history` and where the `parcel` stands, by the carrier's time."""
    told = [fact(row) for row in (*a_list(data, "history"), data.get("parcel"))]
    return tuple(sorted(dict.fromkeys(told), key=lambda each: each.occurred_at))


def intercept(data: Mapping[str, Any]) -> tuple[str, ParcelFact]:
    """The intercept's number, and where its `parcel` stands."""
    return text(data, "number", required=True), fact(data.get("parcel"))


def slots(data: Mapping[str, Any]) -> tuple[Slot, ...]:
    """The `slots` on offer, soonest first."""
    return tuple(sorted((_slot(row) for row in a_list(data, "slots")), key=lambda slot: slot.starts_at))


def events(data: Mapping[str, Any]) -> tuple[CourierEvent, ...]:
    """A webhook's content; empty for a type the engine has no use for."""
    if text(data, "type", required=True) != PARCEL_KIND:
        return ()
    told = _fact(an_object(data.get("parcel")), data.get("occurred_at"))
    return (CourierEvent(text(data, "id", required=True), PARCEL_KIND, told),)


def _fact(row: Mapping[str, Any], occurred_at: Any) -> ParcelFact:
    slot = row.get("slot")
    return ParcelFact(
        number=text(row, "number"),
        waybill=text(row, "waybill", required=True),
        status=ParcelStatus(text(row, "status", required=True)),
        occurred_at=_time(occurred_at),
        slot=None if slot is None else _slot(slot),
        reason=_one_line(text(row, "reason")),
        label_url=text(row, "label_url"),
    )


def _slot(data: Any) -> Slot:
    row = an_object(data)
    return Slot(_time(row.get("starts_at")), _time(row.get("ends_at")))


def _time(value: Any) -> datetime:
    parsed = moment(value)
    if parsed is None:
        raise ValueError("a time is missing")
    return parsed


def _one_line(reason: str) -> str:
    """A carrier's free text as a row can hold it: how it is written must not make the fact unknown."""
    return "".join(letter if letter.isprintable() else " " for letter in reason)[:LONGEST_REASON]
