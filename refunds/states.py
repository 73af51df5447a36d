"""The machines of a refund, pure: the case itself, its money movements and its messages.

`REFUND_ARROWS` is the one transition table. The FSM methods of `refunds.models` are made from it and the drawing
in the docs is tested against it; the letters are those of the drawing.
"""

from dataclasses import dataclass
from enum import StrEnum

from orders.states import Arrow


class RefundState(StrEnum):
    REQUESTED = "requested"
    IN_REVIEW = "in_review"
    OFFERED = "offered"
    AWAITING_RETURN = "awaiting_return"
    INSPECTING = "inspecting"
    REFUNDING = "refunding"
    REFUNDED = "refunded"
    PARTIALLY_REFUNDED = "partially_refunded"
    FAILED = "failed"
    REJECTED = "rejected"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


class Route(StrEnum):
    INSTANT = "instant"
    INTERCEPT = "intercept"
    PICKUP = "pickup"
    REFUND_ONLY = "refund_only"


class Place(StrEnum):
    """Where a unit is."""

    UNSHIPPED = "unshipped"
    IN_TRANSIT = "in_transit"
    DELIVERED = "delivered"


class Goods(StrEnum):
    RETURN = "return"
    KEEP = "keep"
    NOT_RECEIVED = "not_received"
    ALREADY_SENT = "already_sent"


#: As many as a courier fetches at once.
MAX_BOXES = 50


class WayBack(StrEnum):
    """How goods come home that are not sent already: fetched at the door, or handed in with a label of the courier."""

    PICKUP = "pickup"
    DROP_OFF = "drop_off"


class RefundTo(StrEnum):
    """Where the money goes: back to its payments, or to the customer as store credit."""

    ORIGINAL = "original"
    STORE_CREDIT = "store_credit"


class Remedy(StrEnum):
    """What the customer gets for what he gives up: his money, or another one of the same."""

    MONEY = "money"
    REPLACEMENT = "replacement"


class AskedBy(StrEnum):
    """Who of the two wants it: whoever paid the order, or whoever was given it."""

    PAYER = "payer"
    RECIPIENT = "recipient"


class Initiator(StrEnum):
    """On whose wish money goes back, whoever sent the request."""

    CUSTOMER = "customer"
    MERCHANT = "merchant"


class Rejection(StrEnum):
    """Why a refund was rejected: an agent said so in words of his own, or what the messages word themselves."""

    IN_WORDS = "in_words"
    NOTHING_ACCEPTED = "nothing_accepted"
    NOT_REVIEWED = "not_reviewed"


class Disposition(StrEnum):
    """What becomes of units that came back."""

    RESTOCK = "restock"
    REFURBISH = "refurbish"
    WRITE_OFF = "write_off"
    SEND_BACK = "send_back"


#: What was accepted is paid and stays here; what was refused goes back by itself.
FOR_ACCEPTED = tuple(d for d in Disposition if d is not Disposition.SEND_BACK)


class HeldFor(StrEnum):
    """Whose word ends a hold before its time."""

    SHOP = ""
    CUSTOMER = "customer"
    PROOF = "proof"


class Proof(StrEnum):
    """Of the delivery of goods that the customer says he has not received."""

    NOT_ASKED = ""
    AWAITED = "awaited"
    GIVEN = "given"
    MISSING = "missing"


class Stop(StrEnum):
    """Whether the unshipped units of a refund were kept from leaving, as far as anybody was asked and has said."""

    ASSUMED = ""
    AWAITED = "awaited"
    STOPPED = "stopped"
    LEFT = "left"
    UNCONFIRMED = "unconfirmed"


class MovementState(StrEnum):
    """A gateway refund: what the gateway's world holds, apart from our call about it."""

    INTENDED = "intended"
    PENDING = "pending"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    REVERSED = "reversed"
    CANCELLED = "cancelled"
    EXTERNAL = "external"


class MovementKind(StrEnum):
    """refund: money goes back. void: a hold is released, no money moves. dispute: the customer's bank has paid.
    exchange: another order replaces the goods, and the money is that order's."""

    REFUND = "refund"
    VOID = "void"
    DISPUTE = "dispute"
    EXCHANGE = "exchange"


class PickupState(StrEnum):
    """A parcel on its way home, fetched by a courier or posted by the customer."""

    INTENDED = "intended"
    BOOKED = "booked"
    COLLECTED = "collected"
    IN_TRANSIT = "in_transit"
    RECEIVED = "received"
    MISSED = "missed"
    LOST = "lost"
    REFUSED = "refused"
    CANCELLED = "cancelled"


class NotificationState(StrEnum):
    PENDING = "pending"
    SENT = "sent"
    FAILED = "failed"


class HookState(StrEnum):
    """A webhook to a shop. dead: given up, until a person has it sent again."""

    PENDING = "pending"
    DELIVERED = "delivered"
    DEAD = "dead"


_S = RefundState
FINAL_STATES = frozenset({_S.REFUNDED, _S.PARTIALLY_REFUNDED, _S.REJECTED, _S.CANCELLED, _S.EXPIRED})
#: Ended without money: units and reservations are free again.
RELEASED_STATES = frozenset({_S.REJECTED, _S.CANCELLED, _S.EXPIRED})
#: Ended with money: the units are refunded for good.
PAID_STATES = frozenset({_S.REFUNDED, _S.PARTIALLY_REFUNDED})
#: Money has not been claimed by the mere state: a customer or shop may still cancel.
CANCELLABLE_STATES = frozenset({_S.REQUESTED, _S.IN_REVIEW, _S.OFFERED, _S.AWAITING_RETURN, _S.REFUNDING})
#: Where a wish to cancel waits for the courier's word; whatever leads elsewhere has overtaken it.
WISH_STATES = frozenset({_S.IN_REVIEW, _S.AWAITING_RETURN})
#: Ended without the goods: should they arrive all the same, it is looked at again.
GOODS_MAY_ARRIVE = frozenset({_S.CANCELLED, _S.EXPIRED})


@dataclass(frozen=True, slots=True)
class RefundArrow(Arrow):
    """An arrow with the letter of the drawing and, in words, when it is taken."""

    letter: str
    when: str


def _arrow(letter: str, verb: str, sources: tuple[str, ...], target: str, when: str) -> RefundArrow:
    return RefundArrow(verb=verb, sources=sources, target=target, letter=letter, when=when)


REFUND_ARROWS = (
    _arrow(
        "a",
        "pay_at_once",
        (_S.REQUESTED,),
        _S.REFUNDING,
        "instant and nobody needs to look, or nothing to move",
    ),
    _arrow("b", "send_to_review", (_S.REQUESTED,), _S.IN_REVIEW, "a person must look"),
    _arrow(
        "c",
        "await_return",
        (_S.REQUESTED,),
        _S.AWAITING_RETURN,
        "goods must come back, approved by the policy",
    ),
    _arrow("d", "offer", (_S.IN_REVIEW,), _S.OFFERED, "an agent offers an amount, the goods stay"),
    _arrow("e", "accept_offer", (_S.OFFERED,), _S.REFUNDING, "the customer accepts"),
    _arrow("f", "decline_offer", (_S.OFFERED,), _S.IN_REVIEW, "declined, or the offer ran out"),
    _arrow("g", "approve_return", (_S.IN_REVIEW,), _S.AWAITING_RETURN, "approved, goods come back"),
    _arrow("h", "approve_refund", (_S.IN_REVIEW,), _S.REFUNDING, "approved, goods stay or never came"),
    _arrow("i", "reject", (_S.IN_REVIEW,), _S.REJECTED, "by the agent, or the policy's outcome on expiry"),
    _arrow("j", "receive", (_S.AWAITING_RETURN,), _S.INSPECTING, "received in the warehouse"),
    _arrow(
        "k",
        "return_fails",
        (_S.AWAITING_RETURN,),
        _S.IN_REVIEW,
        "refused, missed or lost too often, no courier, or not back in time",
    ),
    _arrow("l", "pay_uninspected", (_S.AWAITING_RETURN,), _S.REFUNDING, "paid on collection, or lost after it"),
    _arrow("m", "expire", (_S.AWAITING_RETURN,), _S.EXPIRED, "goods not handed over in time"),
    _arrow(
        "n",
        "accept_goods",
        (_S.INSPECTING,),
        _S.REFUNDING,
        "at least one unit accepted, or overdue and not all found wrong",
    ),
    _arrow("o", "refuse_goods", (_S.INSPECTING,), _S.REJECTED, "nothing accepted"),
    _arrow("p", "succeed", (_S.REFUNDING,), _S.REFUNDED, "every movement succeeded"),
    _arrow("q", "fail", (_S.REFUNDING,), _S.FAILED, "nothing sent, unknown or pending, and not all succeeded"),
    _arrow(
        "r",
        "recall",
        (_S.REFUNDING,),
        _S.IN_REVIEW,
        "nothing claimed, and the route changed or approval lapsed",
    ),
    _arrow("s", "retry", (_S.FAILED,), _S.REFUNDING, "retried: what is missing is reserved again"),
    _arrow(
        "t",
        "settle",
        (_S.FAILED,),
        _S.REFUNDED,
        "succeeded after all, moved outside, or settled by a lost dispute",
    ),
    _arrow("u", "close_partly", (_S.FAILED,), _S.PARTIALLY_REFUNDED, "closed by a person: part of it moved"),
    _arrow("u", "close_unmoved", (_S.FAILED,), _S.CANCELLED, "closed by a person: nothing moved"),
    _arrow("v", "reverse", (_S.REFUNDED, _S.PARTIALLY_REFUNDED), _S.FAILED, "reversed by the gateway"),
    _arrow(
        "w",
        "cancel",
        tuple(sorted(CANCELLABLE_STATES)),
        _S.CANCELLED,
        "by customer or shop, no money claimed",
    ),
    _arrow(
        "x",
        "reopen",
        (_S.REJECTED,),
        _S.IN_REVIEW,
        "contested in time or reopened; units and money still free",
    ),
    _arrow("y", "goods_arrive", tuple(sorted(GOODS_MAY_ARRIVE)), _S.IN_REVIEW, "the goods arrived all the same"),
)

_M = MovementState
MOVEMENT_ARROWS = (
    Arrow("accept", (_M.INTENDED, _M.FAILED), _M.PENDING),
    Arrow("succeed", (_M.INTENDED, _M.PENDING, _M.FAILED), _M.SUCCEEDED),
    Arrow("fail", (_M.INTENDED, _M.PENDING), _M.FAILED),
    Arrow("reverse", (_M.SUCCEEDED,), _M.REVERSED),
    Arrow("cancel", (_M.INTENDED, _M.FAILED, _M.REVERSED), _M.CANCELLED),
    Arrow("record_external", (_M.INTENDED, _M.FAILED), _M.EXTERNAL),
    Arrow("intend_again", (_M.FAILED,), _M.INTENDED),
)

_P = PickupState
PICKUP_ARROWS = (
    Arrow("book", (_P.INTENDED,), _P.BOOKED),
    Arrow("collect", (_P.INTENDED, _P.BOOKED, _P.MISSED, _P.CANCELLED), _P.COLLECTED),
    Arrow("move_on", (_P.INTENDED, _P.BOOKED, _P.MISSED, _P.CANCELLED, _P.COLLECTED), _P.IN_TRANSIT),
    Arrow("receive", tuple(p for p in _P if p is not _P.RECEIVED), _P.RECEIVED),
    Arrow("miss", (_P.BOOKED,), _P.MISSED),
    Arrow("rebook", (_P.MISSED,), _P.INTENDED),
    Arrow("lose", (_P.BOOKED, _P.COLLECTED, _P.IN_TRANSIT), _P.LOST),
    Arrow("refuse", (_P.BOOKED, _P.MISSED, _P.COLLECTED, _P.IN_TRANSIT), _P.REFUSED),
    Arrow("cancel", (_P.INTENDED, _P.BOOKED, _P.MISSED), _P.CANCELLED),
)

_N = NotificationState
NOTIFICATION_ARROWS = (
    Arrow("deliver", (_N.PENDING, _N.FAILED), _N.SENT),
    Arrow("give_up", (_N.PENDING,), _N.FAILED),
)

_H = HookState
HOOK_ARROWS = (
    Arrow("deliver", (_H.PENDING, _H.DEAD), _H.DELIVERED),
    Arrow("give_up", (_H.PENDING,), _H.DEAD),
    Arrow("revive", (_H.DEAD,), _H.PENDING),
)
