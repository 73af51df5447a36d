"""A courier's webhooks: verified first, then read strictly."""

import json
from typing import Any

import pytest

from workers.adapters import signing
from workers.adapters.http_courier import HttpCourier
from workers.adapters.unconfigured import UnconfiguredCourier
from workers.ports import BadPayload, BadSignature, ParcelStatus

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
NOW = 1_790_000_000.0
PARCEL = {
    "number": "RFX-1-P1",
    "waybill": "WB1",
    "status": "missed",
    "slot": {"starts_at": "2026-12-01T09:00:00Z", "ends_at": "2026-12-01T13:00:00Z"},
    "reason": "nobody\tat home",
}


def courier() -> HttpCourier:
    return HttpCourier("http://courier.invalid", secret=SECRET, clock=lambda: NOW)


def event(**more: Any) -> dict[str, Any]:
    told = {"id": "evt_1", "type": "parcel.updated", "parcel": PARCEL, "occurred_at": "2026-12-01T10:00:00+01:00"}
    return {**told, **more}


def parse(content: Any, *, secret: str = SECRET) -> Any:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return courier().parse_webhook(signing.sign(secret, body, message_id="evt_1", now=NOW), body)


def test_parcel_event_says_all_it_knows() -> None:
    (read,) = parse(event())
    assert (read.event_id, read.kind) == ("evt_1", "parcel.updated")
    assert (read.fact.number, read.fact.waybill, read.fact.status) == ("RFX-1-P1", "WB1", ParcelStatus.MISSED)
    assert read.fact.occurred_at.isoformat() == "2026-12-01T10:00:00+01:00"
    assert read.fact.slot.ends_at.hour == 13 and read.fact.reason == "nobody at home"


@pytest.mark.parametrize("status", list(ParcelStatus))
def test_every_status_is_read(status: ParcelStatus) -> None:
    (read,) = parse(event(parcel={"waybill": "T1", "status": status}))
    assert (read.fact.status, read.fact.number, read.fact.slot) == (status, "", None)


def test_event_of_another_type_is_of_no_use() -> None:
    assert parse(event(type="invoice.sent", parcel=None)) == ()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"[" * 100_000,
        event(id=""),
        event(type=None),
        event(parcel=None),
        event(occurred_at=None),
        event(occurred_at="2026-12-01T10:00:00"),
        event(parcel={**PARCEL, "status": "gone"}),
        event(parcel={**PARCEL, "waybill": None}),
        event(parcel={**PARCEL, "slot": {}}),
    ],
    ids=range(11),
)
def test_signed_nonsense_is_a_bad_payload(content: Any) -> None:
    with pytest.raises(BadPayload):
        parse(content)


def test_event_under_another_secret_is_refused() -> None:
    with pytest.raises(BadSignature):
        parse(event(), secret="whsec_c29tZWJvZHkgZWxzZQ==")


def test_account_that_is_not_configured_takes_no_webhook() -> None:
    body = json.dumps(event()).encode()
    with pytest.raises(BadSignature):
        UnconfiguredCourier("x").parse_webhook(signing.sign(SECRET, body, message_id="evt_1", now=NOW), body)
