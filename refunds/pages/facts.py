"""What a customer is told of his refunds, as values: read off loaded rows, so that saying it needs nothing else."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Any

from orders.roles import Actor, Role
from refunds.actions import Action
from refunds.cuts import unsent_of
from refunds.destinations import masked
from refunds.messages.facts import Item, Visit
from refunds.messages.kept import Kept, kept_of
from refunds.messages.moved import Money, Moved, moved_of
from refunds.models import CaseMessage, GatewayRefund, Pickup, Refund, RefundEvent, RefundLine
from refunds.numbers import request_number
from refunds.pages.codes import CodeAsked, code_asked
from refunds.parcels import counting
from refunds.returnable import Reason
from refunds.selectors.allowed import allowed_actions, lacks_second
from refunds.selectors.credit_accounts import credit_account, credit_accounts
from refunds.selectors.hand_accounts import is_by_hand
from refunds.selectors.store_credit import holder_of
from refunds.services.acts.writing import CUSTOMERS
from refunds.services.rows import policy_of
from refunds.states import (
    FINAL_STATES,
    Goods,
    HeldFor,
    MovementKind,
    MovementState,
    PickupState,
    Proof,
    RefundState,
    Rejection,
    Remedy,
    Route,
)
from workers.ports import receipt_from


@dataclass(frozen=True, slots=True)
class Parcel:
    """The parcel home that counts. `visit`: of a courier who is booked. `drop_off`: the customer hands it in, with the
    label at the address `label`."""

    state: PickupState
    carrier: str = ""
    waybill: str = ""
    visit: Visit | None = None
    drop_off: bool = False
    label: str = ""


@dataclass(frozen=True, slots=True)
class Happened:
    kind: str
    at: datetime
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Letter:
    """What one side wrote; `own`: the customer's."""

    text: str
    at: datetime
    own: bool


@dataclass(frozen=True, slots=True)
class Part:
    """One refund: what a request wants done by one route. Amounts in minor units of `currency`, times aware.

    `country` is where the goods are fetched, else where the order went. `rejection` is in the agent's words, where they
    were his. `deadline` is of the present state, which says whose clock it is. `held_until`: no clock runs until then,
    at the latest. `actions`: what the customer may do now. `may_be_credit`: the shop gives store credit, and he can
    have it. `offered_minor`: what he may have and keep the goods, for `offer_note`; `answer_by`: until when a question
    waits for him; `proof_until`: the carrier is to prove by then that it was delivered; `contest_until`: so long he may
    say that he does not agree. `thread`: the oldest first. `remedy`: what he is to get; `replaced_by`: the order he got
    instead of the money. `code`: what a code of his would confirm; `lacks_second`: a second person has yet to agree.
    """

    number: str
    request: str
    state: RefundState
    route: Route
    currency: str
    amount_minor: int
    requested_at: datetime
    country: str = ""
    goods: Goods = Goods.RETURN
    part: int = 1
    parts: int = 1
    reason: str = ""
    reasons: tuple[Reason, ...] = ()
    note: str = ""
    rejection: str = ""
    rejected_as: Rejection | None = None
    deadline: datetime | None = None
    held_until: datetime | None = None
    boxes: int = 1
    received: bool = False
    cancel_wanted: bool = False
    money: tuple[Money, ...] = ()
    parcel: Parcel | None = None
    items: tuple[Item, ...] = ()
    sheet: tuple[dict[str, Any], ...] = ()
    actions: frozenset[Action] = frozenset()
    may_be_credit: bool = False
    offered_minor: int = 0
    offer_note: str = ""
    answer_by: datetime | None = None
    proof_until: datetime | None = None
    contest_until: datetime | None = None
    thread: tuple[Letter, ...] = ()
    remedy: Remedy = Remedy.MONEY
    replaced_by: str = ""
    code: CodeAsked | None = None
    lacks_second: bool = False
    happened: tuple[Happened, ...] = ()

    @property
    def on_hold(self) -> bool:
        return self.held_until is not None

    @property
    def is_final(self) -> bool:
        return self.state in FINAL_STATES

    @property
    def gets_another(self) -> bool:
        """As it stands, no money is to move."""
        return self.remedy is Remedy.REPLACEMENT and not self.moved.gone_minor and self.state is not RefundState.FAILED

    @property
    def moved(self) -> Moved:
        """What has left, as the mails count it."""
        return moved_of(self.money)

    @property
    def kept(self) -> tuple[Kept, ...]:
        return kept_of(self.sheet)

    @property
    def unsent_minor(self) -> int:
        return unsent_of(self.sheet)

    @property
    def was_sent(self) -> bool:
        """All of its money had been sent, whatever became of it since."""
        return any(event.kind == "refund.refunded" for event in self.happened)


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for at once, part by part."""

    number: str
    parts: tuple[Part, ...]

    @property
    def is_final(self) -> bool:
        return all(part.is_final for part in self.parts)

    @property
    def amount_minor(self) -> int:
        return sum(part.amount_minor for part in self.parts)


def requests_of(
    refunds: Sequence[Refund], events: Iterable[RefundEvent], letters: Iterable[CaseMessage], actor: Actor
) -> tuple[Request, ...]:
    """The requests of one order, the newest first; expects whole refunds in the order of their ids."""
    trails: dict[int, list[RefundEvent]] = defaultdict(list)
    for event in events:
        trails[event.refund_id].append(event)
    threads: dict[int, list[Letter]] = defaultdict(list)
    for letter in letters:
        threads[letter.refund_id].append(Letter(letter.text, letter.created_at, Role(letter.role) in CUSTOMERS))
    requests = []
    for request_id, group in groupby(sorted(refunds, key=lambda r: (r.request_id, r.pk)), key=lambda r: r.request_id):
        parts = list(group)
        number = request_number(parts[0].number, request_id)
        shown = [
            replace(_part(refund, trails[refund.pk], actor, (n, len(parts))), thread=tuple(threads[refund.pk]))
            for n, refund in enumerate(parts, start=1)
        ]
        requests.append(Request(number, tuple(shown)))
    return tuple(reversed(requests))


def _part(refund: Refund, trail: Iterable[RefundEvent], actor: Actor, place: tuple[int, int]) -> Part:
    return Part(
        number=refund.number,
        request=request_number(refund.number, refund.request_id),
        state=RefundState(refund.state),
        route=Route(refund.route),
        currency=refund.currency,
        amount_minor=refund.amount_minor,
        requested_at=refund.created_at,
        country=str((refund.pickup_address or refund.order.shipping_address).get("country", "")),
        goods=Goods(refund.goods),
        part=place[0],
        parts=place[1],
        reason=refund.reason_code,
        reasons=policy_of(refund.policy_version_id).reasons,
        note=refund.note,
        rejection=refund.rejection,
        rejected_as=Rejection(refund.rejection_code) if refund.rejection_code else None,
        deadline=refund.deadline,
        held_until=refund.held_until,
        boxes=refund.boxes,
        received=refund.received_at is not None,
        cancel_wanted=bool(refund.cancel_wanted_by),
        money=tuple(_money(movement) for movement in refund.gateway_refunds.all() if not movement.replaced_by),
        parcel=_parcel(list(refund.pickups.all())),
        items=_items(refund.lines.all()),
        sheet=tuple(refund.sheet.get("entries", ())),
        actions=frozenset(allowed_actions(refund, actor)),
        may_be_credit=bool(credit_account()) and holder_of(refund.order) is not None,
        offered_minor=refund.offered_minor or 0,
        offer_note=refund.offer_note,
        answer_by=refund.held_until if refund.held_for == HeldFor.CUSTOMER else None,
        proof_until=refund.proof_until if refund.proof == Proof.AWAITED else None,
        contest_until=refund.contest_until,
        remedy=Remedy(refund.remedy),
        replaced_by=refund.replaced_by,
        code=code_asked(refund),
        lacks_second=lacks_second(refund),
        happened=tuple(Happened(event.kind, event.occurred_at, event.data) for event in trail),
    )


def _money(movement: GatewayRefund) -> Money:
    payment = movement.share.payment
    is_payout = bool(movement.payee)
    is_credit = bool(movement.target) or payment.account in credit_accounts()
    account = masked(movement.payee) if is_payout else receipt_from(movement.receipt).receiving_account
    return Money(
        payment.reference,
        movement.amount_minor,
        MovementState(movement.state),
        movement.settled_at,
        account,
        MovementKind(movement.kind),
        is_credit=is_credit and not is_payout,
        is_payout=is_payout,
        by_hand=is_by_hand(movement),
    )


def _parcel(pickups: Sequence[Pickup]) -> Parcel | None:
    pickup = counting(pickups)
    if pickup is None:
        return None
    visit = None
    if pickup.state == PickupState.BOOKED and pickup.slot_from and pickup.slot_to:
        visit = Visit(pickup.slot_from, pickup.slot_to)
    return Parcel(
        PickupState(pickup.state),
        carrier=pickup.carrier,
        waybill=pickup.waybill,
        visit=visit,
        drop_off=pickup.drop_off,
        label=pickup.label_url if pickup.state == PickupState.BOOKED else "",
    )


def _items(units: Iterable[RefundLine]) -> tuple[Item, ...]:
    """By line: units of one line in several places are one item."""
    found: dict[int, list[RefundLine]] = defaultdict(list)
    for row in units:
        found[row.order_line_id].append(row)
    return tuple(_item(rows) for rows in found.values())


def _item(rows: Sequence[RefundLine]) -> Item:
    names = ("quantity", "accepted", "damaged", "wrong_item", "missing")
    counts = {name: sum(getattr(row, name) for row in rows) for name in names}
    return Item(rows[0].order_line.name, **counts)
