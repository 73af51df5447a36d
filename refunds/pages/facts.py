"""What a customer is told of his refunds, as values: read off loaded rows, so that saying it needs nothing else."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from orders.roles import Actor
from refunds.actions import Action
from refunds.destinations import masked
from refunds.messages.facts import Item, Moved, Visit, Way, way_of
from refunds.models import GatewayRefund, Pickup, Refund, RefundEvent, RefundLine
from refunds.numbers import request_number
from refunds.parcels import counting
from refunds.selectors.allowed import allowed_actions
from refunds.selectors.credit_accounts import credit_account
from refunds.selectors.store_credit import holder_of
from refunds.states import FINAL_STATES, Goods, MovementKind, MovementState, PickupState, RefundState, Rejection, Route
from workers.ports import receipt_from


@dataclass(frozen=True, slots=True)
class Money:
    """One movement: so much in minor units, back to the payment with this reference; `at` is when it was settled,
    `account` what the gateway calls the account that gets it, once it has said so. `is_credit`: not back, but as store
    credit."""

    reference: str
    amount_minor: int
    state: MovementState
    at: datetime | None = None
    account: str = ""
    kind: MovementKind = MovementKind.REFUND
    is_credit: bool = False
    is_payout: bool = False


@dataclass(frozen=True, slots=True)
class Parcel:
    """The parcel home that counts. `visit`: of a courier who is booked."""

    state: PickupState
    carrier: str = ""
    waybill: str = ""
    visit: Visit | None = None


@dataclass(frozen=True, slots=True)
class Happened:
    kind: str
    at: datetime
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Part:
    """One refund: what a request wants done by one route. Amounts in minor units of `currency`, times aware.

    `country` is where the goods are fetched, else where the order went. `rejection` is in the agent's words, where they
    were his. `deadline` is of the present state, which says whose clock it is. `on_hold`: no clock runs. `actions`:
    what the customer may do now. `may_be_credit`: the shop gives store credit, and he can have it.
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
    note: str = ""
    rejection: str = ""
    rejected_as: Rejection | None = None
    deadline: datetime | None = None
    on_hold: bool = False
    received: bool = False
    cancel_wanted: bool = False
    money: tuple[Money, ...] = ()
    parcel: Parcel | None = None
    items: tuple[Item, ...] = ()
    sheet: tuple[dict[str, Any], ...] = ()
    actions: frozenset[Action] = frozenset()
    may_be_credit: bool = False
    happened: tuple[Happened, ...] = ()

    @property
    def is_final(self) -> bool:
        return self.state in FINAL_STATES

    @property
    def moved(self) -> Moved:
        """What has left, as the mails count it."""
        out, sent = (MovementState.SUCCEEDED, MovementState.EXTERNAL), (MovementState.SUCCEEDED, MovementState.REVERSED)
        credit = sum(m.amount_minor for m in self.money if m.is_credit and m.state in sent)
        payouts = sum(m.amount_minor for m in self.money if m.is_payout and m.state in sent)
        return Moved(
            original_minor=self._sum(MovementKind.REFUND, *sent) - credit - payouts,
            credit_minor=credit,
            agreed_minor=self._sum(MovementKind.REFUND, MovementState.EXTERNAL) + payouts,
            disputed_minor=self._sum(MovementKind.DISPUTE, *out),
            released_minor=self._sum(MovementKind.VOID, *out),
            gone_minor=sum(self._sum(kind, *out) for kind in MovementKind),
        )

    @property
    def way(self) -> Way:
        """How the money left, by the very rule of the mails."""
        return way_of(self.amount_minor, self.moved)

    def _sum(self, kind: MovementKind, *states: MovementState) -> int:
        return sum(m.amount_minor for m in self.money if m.kind is kind and m.state in states)


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


def requests_of(refunds: Sequence[Refund], events: Iterable[RefundEvent], actor: Actor) -> tuple[Request, ...]:
    """The requests of one order, the newest first; expects whole refunds in the order of their ids."""
    trails: dict[int, list[RefundEvent]] = defaultdict(list)
    for event in events:
        trails[event.refund_id].append(event)
    requests = []
    for request_id, group in groupby(sorted(refunds, key=lambda r: (r.request_id, r.pk)), key=lambda r: r.request_id):
        parts = list(group)
        number = request_number(parts[0].number, request_id)
        shown = [_part(refund, trails[refund.pk], actor, (n, len(parts))) for n, refund in enumerate(parts, start=1)]
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
        note=refund.note,
        rejection=refund.rejection,
        rejected_as=Rejection(refund.rejection_code) if refund.rejection_code else None,
        deadline=refund.deadline,
        on_hold=refund.held_until is not None,
        received=refund.received_at is not None,
        cancel_wanted=bool(refund.cancel_wanted_by),
        money=tuple(_money(movement) for movement in refund.gateway_refunds.all() if not movement.replaced_by),
        parcel=_parcel(list(refund.pickups.all())),
        items=_items(refund.lines.all()),
        sheet=tuple(refund.sheet.get("entries", ())),
        actions=frozenset(allowed_actions(refund, actor)),
        may_be_credit=bool(credit_account()) and holder_of(refund.order) is not None,
        happened=tuple(Happened(event.kind, event.occurred_at, event.data) for event in trail),
    )


def _money(movement: GatewayRefund) -> Money:
    reference = movement.share.payment.reference
    account = receipt_from(movement.receipt).receiving_account
    state, kind = MovementState(movement.state), MovementKind(movement.kind)
    credit, payout = bool(movement.target and not movement.payee), bool(movement.payee)
    account = masked(movement.payee) if payout else account
    return Money(reference, movement.amount_minor, state, movement.settled_at, account, kind, credit, payout)


def _parcel(pickups: Sequence[Pickup]) -> Parcel | None:
    pickup = counting(pickups)
    if pickup is None:
        return None
    visit = None
    if pickup.state == PickupState.BOOKED and pickup.slot_from and pickup.slot_to:
        visit = Visit(pickup.slot_from, pickup.slot_to)
    return Parcel(PickupState(pickup.state), carrier=pickup.carrier, waybill=pickup.waybill, visit=visit)


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
