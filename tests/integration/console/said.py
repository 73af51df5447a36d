"""What is said with each act, at the console and over the API, to the same end."""

from typing import Any

from refunds.actions import Action

FOUND = {"accepted-0": "2", "damaged-0": "1", "wrong_item-0": "0", "missing-0": "0"}
#: What is typed into the form of an act, and what the API is told to the same end.
SAID: dict[Action, tuple[dict[str, Any], Any]] = {
    Action.APPROVE: ({"quantity-0": "3", "goods": ""}, {}),
    Action.REJECT: ({"reason": "Worn."}, {"reason": "Worn."}),
    Action.BYPASS_SECOND: ({"reason": "Alone today."}, {"reason": "Alone today."}),
    Action.OFFER: ({"amount": "3.00", "note": "A scratch."}, {"amount_minor": 300, "note": "A scratch."}),
    Action.ASK: ({"text": "Which side?"}, {"text": "Which side?"}),
    Action.WRITE: ({"text": "On its way."}, {"text": "On its way."}),
    Action.CONTEST: ({"note": "It was whole."}, {"note": "It was whole."}),
    Action.REOPEN: ({"note": "It was whole."}, {"note": "It was whole."}),
    Action.CLOSE: ({"note": "Paid in cash."}, {"note": "Paid in cash."}),
    Action.RECORD_EXTERNAL: ({"amount": "4.00", "reference": "T-1"}, {"amount_minor": 400, "reference": "T-1"}),
    Action.INSPECT: (FOUND, {"lines": [{"sku": "A", "accepted": 2, "damaged": 1}]}),
    Action.DISPOSE: (
        {"quantity-0": "1", "disposition-0": "write_off"},
        {"lines": [{"sku": "A", "quantity": 1, "disposition": "write_off"}]},
    ),
    Action.DOUBT_PARCEL: ({"what": "wrong_parcel", "note": "Bricks."}, {"what": "wrong_parcel", "note": "Bricks."}),
    Action.SHIP_BACK: ({"carrier": "DHL", "tracking_number": "T-9"}, {"carrier": "DHL", "tracking_number": "T-9"}),
    Action.REBOOK_PICKUP: (
        {"starts_at": "2026-01-01T08:00", "ends_at": "2026-01-01T10:00"},
        {"slot": {"starts_at": "2026-01-01T08:00:00Z", "ends_at": "2026-01-01T10:00:00Z"}},
    ),
    Action.REPLACE: ({"remedy": "replacement"}, {"remedy": "replacement"}),
    Action.CONFIRM_STOP: ({"stopped": "yes"}, {"stopped": True}),
    Action.PROVE_DELIVERY: ({"delivered": "yes", "note": "Signed."}, {"delivered": True, "note": "Signed."}),
    Action.SET_TARGET: ({"to": "original"}, {"refund_to": "original"}),
    Action.CONFIRM_TARGET: ({"code": "000000"}, {"code": "000000"}),
    Action.ASSIGN: ({"to": ""}, {"to": None}),
}
