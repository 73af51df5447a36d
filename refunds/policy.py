"""A policy's rules as one frozen value. Pure; every refund is pinned to the version it was decided under.

Times are seconds; amounts are minor units per currency.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from typing import Any

from refunds.calendars import Calendar
from refunds.returnable import (
    WINDOW_FROM,
    Exclusion,
    Reason,
    TakesBack,
    Window,
    exclusions_from_json,
    reasons_from_json,
)
from refunds.returnable import to_json as rules_to_json
from refunds.routing import Reading

#: What the rules that are words may say.
WORDS = {
    "review_outcome": ("wait", "reject"),
    "proof_outcome": ("wait", "approve"),
    "pay_on": ("inspection", "receipt", "collection"),
    "stop_shipment": ("assume", "confirm"),
    "payment_order": ("proportional", "card_first", "gift_card_first"),
    "refund_to": ("original", "store_credit"),
    "way_back": ("pickup", "drop_off"),
    "shipping": ("completing", "first", "never"),
    "supplement": ("unshipped", "always"),
    "deposit": ("keep", "return"),
    "below_minimum": ("keep", "claw_back"),
    "gifts": ("deduct", "keep"),
    "bundles": ("split", "whole"),
    "window_from": WINDOW_FROM,
}
#: What can be spent at the shop only.
_GIFTS = ("gift_card", "points")


#: Whose fault it is by the reason code; any other is the customer's. What never arrived is the carrier's.
FAULTS = {
    "damaged": "seller",
    "defective": "seller",
    "wrong_item": "seller",
    "not_as_described": "seller",
    "out_of_stock": "seller",
    "too_late": "carrier",
    "lost": "carrier",
    "not_received": "carrier",
}


@dataclass(frozen=True, slots=True)
class FeeRule:
    """Thousandths of what the goods are worth, and a fixed amount in minor units by currency (none named: nothing)."""

    per_mille: int = 0
    fixed_minor: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PolicySpec:
    """The rules the engine reads.

    `instant_limit_minor`: an instant refund above it is looked at by a person first (no entry: no limit).
    `second_approval_minor`: what is above it needs a second person, for whom it waits `second_approval_seconds` before
    it is reviewed again. `second_bypass`: finance may let such a refund pass alone, and has to say why.
    `acknowledge_after_seconds`: "received" of an instant refund is told by itself only when it is still open by then;
    one that ends sooner says both in one message. `unknown_incident_seconds`: so long may an outcome stay unknown, and
    `pending_incident_seconds`: so long may a gateway take, before a person is asked to look. `email_for`, `sms_for`:
    which messages go by which channel.

    `approve_returns`: goods that must come back need no person's approval. `review_outcome`: what becomes of a review
    that nobody ended in `review_seconds`: "wait" (a person is alerted) or "reject". `offer_seconds`: so long an offer
    can be accepted; `contest_seconds`: so long a rejection, of all or of a part, can be contested, `contest_attempts`
    times; `answer_seconds`: so long a question waits for the customer, and the review with it.
    `request_attempts`: so often a customer may ask for what was rejected each time.

    `return_seconds`: so long the customer has to hand the goods over, with a reminder `remind_before_seconds` ahead;
    `inspect_seconds`: so long the warehouse has to look at them, then what nobody has found wrong counts as accepted.
    `hold_seconds`: the longest hold that has no end of its own; `transit_seconds`: so long a parcel may be on its way
    home. A courier who has scanned nothing `missed_after_seconds` after his slot has not come. After `pickup_attempts`
    missed visits, or `courier_patience_seconds` without a courier, a person looks. `send_seconds`: so long sending
    money is tried, `capture_seconds`: so long a refund waits for money that is held and not captured,
    `dispute_seconds`: for the end of a dispute; what has not left by then has failed.

    `pay_on`: money for goods that come back goes once they were found right ("inspection"), once they are in the
    warehouse ("receipt"), or with the courier's first scan ("collection"); what is found wrong then is a case.

    `payment_order`: of several payments all give in proportion ("proportional"), or those with money first and gift
    cards and points last ("card_first"), or the other way round ("gift_card_first"). `refund_to`: where money goes that
    nobody said anything else of, "original" or "store_credit".

    `way_back`: how goods come home that nobody said anything else of: "pickup" at the door, or "drop_off" with a label.

    `hold_for_credit_note`: the money waits until the shop has said under which number it credits the refund; for as
    long as `send_seconds` at most.

    `window_days`: so many whole local days after delivery goods can be asked back (None: for ever), counted for each
    parcel or from the last one of the order (`window_from`); `fault_window_days` where it is not the customer's fault.
    `exclusions`: what is not taken back unless it is somebody's fault; `reasons`: what customers choose from, none: the
    built-in ones. `protected_labels`: an order with these is protected like one of a large amount.

    `calendar`: which days count, for whoever waits (see `refunds.clocks`); by the clock of the order's channel, where
    it names no zone (`in_zone`).

    `proof_seconds`: so long the carrier or the shop has to prove that goods were delivered which the customer says he
    has not received; without proof a person is alerted (`proof_outcome` "wait"), or it is approved ("approve").
    `delivered_after_seconds`: a parcel of which no carrier says where it went counts as delivered so long after it left
    (`refunds.routing.Reading`).

    `replacements`: customers may ask for another one instead of their money; agents always may. The shop has
    `replacement_seconds` to state the order that replaces; without one the money goes back.

    `stop_shipment`: units asked back before they left are taken to stay ("assume"), or their money waits until somebody
    says so ("confirm"); unsaid for `confirm_seconds`, they count as left.
    """

    instant_limit_minor: dict[str, int] = field(default_factory=dict)
    second_approval_minor: dict[str, int] = field(default_factory=dict)
    second_bypass: bool = False
    second_approval_seconds: int = 7 * 24 * 3600
    acknowledge_after_seconds: int = 60
    review_seconds: int = 48 * 3600
    offer_seconds: int = 7 * 24 * 3600
    contest_seconds: int = 7 * 24 * 3600
    contest_attempts: int = 1
    request_attempts: int = 3
    answer_seconds: int = 5 * 24 * 3600
    unknown_incident_seconds: int = 3600
    pending_incident_seconds: int = 7 * 24 * 3600
    approve_returns: bool = False
    review_outcome: str = "wait"
    return_seconds: int = 14 * 24 * 3600
    remind_before_seconds: int = 3 * 24 * 3600
    inspect_seconds: int = 7 * 24 * 3600
    pay_on: str = "inspection"
    way_back: str = "pickup"
    hold_seconds: int = 30 * 24 * 3600
    pickup_attempts: int = 3
    missed_after_seconds: int = 4 * 3600
    courier_patience_seconds: int = 2 * 24 * 3600
    transit_seconds: int = 14 * 24 * 3600
    proof_seconds: int = 5 * 24 * 3600
    proof_outcome: str = "wait"
    delivered_after_seconds: int = 21 * 24 * 3600
    send_seconds: int = 3 * 24 * 3600
    capture_seconds: int = 31 * 24 * 3600
    dispute_seconds: int = 180 * 24 * 3600
    stop_shipment: str = "assume"
    confirm_seconds: int = 24 * 3600
    hold_for_credit_note: bool = False
    replacements: bool = False
    replacement_seconds: int = 7 * 24 * 3600
    window_days: int | None = None
    window_from: str = "each_parcel"
    fault_window_days: int | None = None
    exclusions: tuple[Exclusion, ...] = ()
    reasons: tuple[Reason, ...] = ()
    protected_labels: dict[str, str] = field(default_factory=dict)
    calendar: Calendar = Calendar()
    payment_order: str = "proportional"
    refund_to: str = "original"
    faults: dict[str, str] = field(default_factory=FAULTS.copy)
    restocking_fee: FeeRule = FeeRule()
    return_shipping_fee: FeeRule = FeeRule()
    shipping: str = "completing"
    supplement: str = "unshipped"
    deposit: str = "keep"
    below_minimum: str = "keep"
    gifts: str = "deduct"
    bundles: str = "split"
    email_for: tuple[str, ...] = (
        "received",
        "approved",
        "question",
        "message",
        "offered",
        "offer_reminder",
        "offer_expired",
        "not_stopped",
        "pickup_booked",
        "label_ready",
        "pickup_missed",
        "reminder",
        "parcel_doubted",
        "parcel_checked",
        "replacing",
        "replaced",
        "rejected",
        "expired",
        "refunded",
        "refunded_at_once",
        "failed",
        "reversed",
        "target_set",
        "closed_in_part",
        "cancelled",
    )
    sms_for: tuple[str, ...] = (
        "question",
        "offered",
        "pickup_booked",
        "label_ready",
        "reminder",
        "refunded",
        "refunded_at_once",
        "failed",
        "reversed",
        "target_set",
        "closed_in_part",
    )

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "PolicySpec":
        """Read a stored version; fields it does not name keep the built-in rule. TypeError on unknown fields,
        ValueError on a rule that nobody knows."""
        if unknown := value.keys() - {f.name for f in fields(cls)}:
            raise TypeError(f"unknown policy fields: {sorted(unknown)}")
        for name in WORDS.keys() & value.keys():
            if value[name] not in WORDS[name]:
                raise ValueError(f"{name} is one of {', '.join(WORDS[name])}, not {value[name]!r}")
        given: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in value.items()}
        return cls(**given | {name: read(value[name]) for name, read in _NESTED.items() if name in value})

    def to_json(self) -> dict[str, Any]:
        flat = {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(self).items()}
        nested = {"exclusions": rules_to_json(self.exclusions), "reasons": rules_to_json(self.reasons)}
        return flat | nested | {"calendar": self.calendar.to_json()}

    def looks_first(self, amount_minor: int, currency: str) -> bool:
        """A person looks at an instant refund of so much."""
        limit = self.instant_limit_minor.get(currency)
        return limit is not None and amount_minor > limit

    def reading(self, now: datetime) -> Reading:
        """Where parcels are by this policy."""
        return Reading(now, self.delivered_after_seconds)

    def in_zone(self, zone: str) -> "PolicySpec":
        """The same with days by the clock of a channel's zone, if it names none of its own."""
        return self if self.calendar.zone else replace(self, calendar=self.calendar.in_zone(zone))

    @property
    def takes_back(self) -> TakesBack:
        window = Window(self.window_days, self.window_from, self.fault_window_days, self.calendar.clock)
        return TakesBack(window, self.exclusions)

    def turn_of(self, method: str) -> int:
        """When a payment made with this method gives, of several."""
        is_gift = method in _GIFTS
        return {"card_first": int(is_gift), "gift_card_first": int(not is_gift)}.get(self.payment_order, 0)

    def awaits_stop(self, amount_minor: int) -> bool:
        """Where there is money that would be lost, somebody may have to say first that the units stay."""
        return self.stop_shipment == "confirm" and amount_minor > 0

    def channels_for(self, template: str) -> tuple[str, ...]:
        """The channels this message goes over: email, sms, both or none."""
        return tuple(c for c, wanted in (("email", self.email_for), ("sms", self.sms_for)) if template in wanted)


FEES = ("restocking_fee", "return_shipping_fee")
_NESTED: dict[str, Callable[[Any], Any]] = {name: lambda value: FeeRule(**value) for name in FEES} | {
    "calendar": Calendar.from_json,
    "exclusions": exclusions_from_json,
    "reasons": reasons_from_json,
}
BUILT_IN = PolicySpec()
BUILT_IN_NAME = "built-in"
