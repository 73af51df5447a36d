"""A refund and its world as the rules see it, at one moment, read under the order's lock. Pure."""

from datetime import datetime
from typing import NamedTuple

from refunds.approving import OPEN, Second
from refunds.calls import CallPhase
from refunds.goods import GoodsSeen
from refunds.movements import MovementView, is_taken, is_void
from refunds.states import Goods, MovementState, Place, Proof, RefundState, Remedy, Route, Stop

#: The condition of a refund whose customer waits for another one of the same.
AWAITS_REPLACEMENT = "AwaitingReplacement"
MOVED = (MovementState.SUCCEEDED, MovementState.EXTERNAL)
#: Nobody is surprised that these arrive: the customer keeps them, or says that he has sent them back.
_MAY_ARRIVE = (Goods.KEEP, Goods.ALREADY_SENT)
_NEVER_CLAIMED = (MovementState.INTENDED, MovementState.FAILED, MovementState.CANCELLED)


class Seen(NamedTuple):
    """`acknowledged`: the customer has been told that it was received. `approved`: a person, or the policy, has agreed.
    `cancel_wanted`: it is to be cancelled once no courier can come any more. `held_from`, `held_until`: on hold, the
    clocks stand still. `claimed_at`: when the money left first. `incidents`: the kinds a person has before him.
    `knows_shipped_after`, `knows_delivered_after`: the conditions ShippedAfterRefund and DeliveredAfterRefund are set.
    `waited_for`: what `waits_for` was at the last look; `promised`: another one was, by then. `stop`: whether the units
    were kept from leaving, as far as the policy asks. `credit_noted`: the credit note has its number, as far as the
    policy waits for it. `by_shop`: the shop gives it by itself. `contest_until`: what was refused may be contested;
    `contested`: that is what it is about. `proof`: of the delivery, to be given until `proof_until`. `second`: the word
    of a second person, as far as one is needed. `remedy`: what the customer is to get; `replaced`: the shop has stated
    the order that replaces it."""

    state: RefundState
    route: Route
    amount_minor: int
    currency: str
    created_at: datetime
    movements: tuple[MovementView, ...] = ()
    goods: GoodsSeen = GoodsSeen()
    acknowledged: bool = False
    reminded: bool = False
    reachable: bool = True
    approved: bool = False
    cancel_wanted: bool = False
    held_from: datetime | None = None
    held_until: datetime | None = None
    deadline: datetime | None = None
    claimed_at: datetime | None = None
    incidents: frozenset[str] = frozenset()
    knows_shipped_after: bool = False
    knows_delivered_after: bool = False
    waited_for: str = ""
    promised: bool = False
    stop: Stop = Stop.ASSUMED
    credit_noted: bool = True
    by_shop: bool = False
    contest_until: datetime | None = None
    contested: bool = False
    proof: Proof = Proof.NOT_ASKED
    proof_until: datetime | None = None
    second: Second = Second.NOT_NEEDED
    remedy: Remedy = Remedy.MONEY
    replaced: bool = False

    @property
    def has_moved(self) -> bool:
        """All the money has reached the customer, or there was none to move."""
        moved = sum(m.amount_minor for m in self.movements if m.state in MOVED)
        return moved >= self.amount_minor and all(m.call.call is CallPhase.IDLE for m in self.movements)

    @property
    def funds_taken(self) -> bool:
        """Facts from outside have taken money that was reserved for it."""
        return any(is_taken(m) for m in self.movements)

    @property
    def is_disputed(self) -> bool:
        """The customer's bank withholds money that was reserved for it."""
        return any(m.disputed for m in self.movements)

    @property
    def awaits_capture(self) -> bool:
        """Some of its money is held and not captured, and the hold is not to be released instead."""
        return any(m.uncaptured and not is_void(m) for m in self.movements)

    @property
    def waits_for(self) -> str:
        """The condition that tells what others have to do before its money can leave; empty: nothing."""
        if self.lacks_second:
            return "ApprovalConformant"
        if self.is_disputed:
            return "DisputeOpen"
        if self.awaits_capture:
            return "AwaitingCapture"
        return AWAITS_REPLACEMENT if self._is_to_be_replaced else ""

    @property
    def awaits_replacement(self) -> bool:
        """Its money waits for the shop to state another order, and for nothing before that."""
        return self._is_to_be_replaced and self.waits_for == AWAITS_REPLACEMENT

    @property
    def is_promised(self) -> bool:
        """Another one was promised, and is to come still, whatever else is waited for meanwhile."""
        return self._is_to_be_replaced and (self.promised or self.awaits_replacement)

    @property
    def _is_to_be_replaced(self) -> bool:
        return self.wants_replacement and self.state is RefundState.REFUNDING

    @property
    def wants_replacement(self) -> bool:
        """No money is to move: the shop is to state an order that replaces it. Once money has moved, the rest does."""
        return self.remedy is Remedy.REPLACEMENT and not self.replaced and not self.is_claimed

    @property
    def lacks_second(self) -> bool:
        """A second person has to agree before its money may leave."""
        return self.second not in OPEN

    @property
    def is_claimed(self) -> bool:
        """Money has left, or may have: neither route nor cancellation can change that."""
        return any(m.call.call is not CallPhase.IDLE or m.state not in _NEVER_CLAIMED for m in self.movements)

    @property
    def has_shipped_after(self) -> bool:
        """Units left the warehouse although their money had been claimed: the money stands, a person looks."""
        has_left = any(units.place is not Place.UNSHIPPED for units in self.goods.units)
        return has_left and self.route is Route.INSTANT and self.is_claimed

    @property
    def has_delivered_after(self) -> bool:
        """A parcel of the goods has arrived, as we heard after their money had left; the customer was to have one of
        the two, and nobody has the goods back."""
        goods, since = self.goods, self.claimed_at
        if since is None or goods.wanted in _MAY_ARRIVE or goods.received:
            return False
        arrived = any(p.delivery_known_at is not None and p.delivery_known_at > since for p in goods.parcels)
        return arrived and self.is_claimed

    @property
    def awaits_stop(self) -> bool:
        """Its money waits for somebody to say that its units were kept from leaving."""
        is_asked = self.state is RefundState.REQUESTED and self.stop is Stop.AWAITED
        return is_asked and self.route is Route.INSTANT

    @property
    def needs_nobody(self) -> bool:
        """On this route nobody has to agree, unless it is much."""
        return self.route is Route.INSTANT or (self.by_shop and self.route is Route.REFUND_ONLY)

    @property
    def awaits_credit_note(self) -> bool:
        """Its money waits for the number under which the shop credits it; what was not captured was not charged."""
        is_charged = self.amount_minor > 0 and not all(m.uncaptured for m in self.movements)
        return self.state is RefundState.REFUNDING and is_charged and not self.credit_noted

    def is_on_hold(self, now: datetime) -> bool:
        return self.held_until is not None and now < self.held_until

    def clock(self, now: datetime) -> datetime:
        """What the clocks of the refund show: on hold they stand where they stood."""
        return self.held_from if self.held_from and self.is_on_hold(now) else now
