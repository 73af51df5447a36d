"""One refund in a pass: what is seen of it, and what the plan says, done to its rows."""

from collections.abc import Sequence
from datetime import datetime

from orders.roles import SYSTEM, Role
from refunds import calls, conditions, movements
from refunds.conditions import TRUE
from refunds.decide import Plan, approval_lapses, decide, next_look
from refunds.judging import Attempt, Judged
from refunds.models import GatewayRefund, Refund
from refunds.movements import MovementView
from refunds.observing import known_from, observe, waited_for
from refunds.parcels import ParcelCall
from refunds.seen import AWAITS_REPLACEMENT, Seen
from refunds.services.answers import Abilities, put_judged, say_unanswered
from refunds.services.approvals import forget_second, second_of
from refunds.services.contests import refused
from refunds.services.couriers import account_of
from refunds.services.dispositions import send_back_refused
from refunds.services.docket import Docket
from refunds.services.goods_seen import goods_of
from refunds.services.holds import end_hold
from refunds.services.inspection import end_overdue
from refunds.services.parcel_calls import claim, slot_of
from refunds.services.parcel_facts import add_pickup, count_no_show, rebook
from refunds.services.passing import Claims, Outbound, Pass
from refunds.services.places import say_assumed
from refunds.services.proofs import follow_proof, proof_of
from refunds.services.remedies import ask_for_replacement, pay_instead
from refunds.services.rows import TIMING, call_of, movement_view, put_call, reader
from refunds.states import Initiator, MovementKind, MovementState, RefundState, Rejection, Remedy, Route, Stop, WayBack
from workers.ports import Movement

#: What happened to goods whose money had gone out: cases that the trail tells of as well.
TOO_LATE = frozenset({"shipped_after_refund", "delivered_after_refund"})
#: Who asks in these roles is the shop itself, and needs nobody to agree; for an agent a colleague has to.
SHOPS_OWN = (Role.SHOP, Role.SYSTEM)
_state, _route, _stop, _remedy = reader(RefundState), reader(Route), reader(Stop), reader(Remedy)


class Case:
    def __init__(self, docket: Docket, refund: Refund, can: Abilities, result: Pass) -> None:
        self.docket = docket
        self.refund = refund
        self.can = can
        self.result = result
        self.policy = docket.rules_of(refund)
        self.movements = {m.number: m for m in docket.movements[refund.id]}

    def advance(self, claims: Claims | None) -> None:
        """Decide, and do what the plan says; without `claims` what it would call about is due at once."""
        if self.refund.held_until and self.refund.held_until <= self.docket.now:
            end_hold(self.docket, self.refund, actor=SYSTEM)
        plan = decide(self.see(), self.policy, now=self.docket.now)
        self._put(plan)
        if claims:
            self._claim_all(plan, claims)
        if plan.counts_as_left:
            self.result.unconfirmed.append(self.refund)
        wants_calls = bool(plan.sends or plan.asks or plan.parcels)
        wants_another_pass = plan.new_pickup or bool(plan.rebook or plan.no_show) or plan.counts_as_left
        wants_another_pass |= plan.ends_inspection
        self._settle(is_due_now=wants_another_pass or (claims is None and wants_calls))

    def see(self) -> Seen:
        refund, order = self.refund, self.docket.orders[self.refund.order_id]
        known = known_from(refund.conditions)
        return Seen(
            state=_state(refund.state),
            route=_route(refund.route),
            amount_minor=refund.amount_minor,
            currency=refund.currency,
            created_at=refund.created_at,
            movements=tuple(self._view(m) for m in self._relevant()),
            goods=goods_of(self.docket, refund, self.can),
            acknowledged=refund.acknowledged_at is not None,
            reminded=refund.reminded_at is not None,
            reachable=bool(order.customer_email or order.customer_phone),
            approved=refund.approved_at is not None,
            cancel_wanted=bool(refund.cancel_wanted_by),
            held_from=refund.held_from,
            held_until=refund.held_until,
            deadline=refund.deadline,
            claimed_at=min((m.first_sent_at for m in self.movements.values() if m.first_sent_at), default=None),
            incidents=frozenset(self.docket.incidents[refund.id]),
            knows_shipped_after=("ShippedAfterRefund", TRUE) in known,
            knows_delivered_after=("DeliveredAfterRefund", TRUE) in known,
            waited_for=waited_for(known),
            promised=(AWAITS_REPLACEMENT, TRUE) in known,
            stop=_stop(refund.stop),
            credit_noted=not (self.policy.hold_for_credit_note and self.docket.lacks_credit_note(refund)),
            by_shop=refund.initiator == Initiator.MERCHANT and refund.requested_role in SHOPS_OWN,
            contest_until=refund.contest_until,
            contested=refund.contests > 0,
            proof=proof_of(refund),
            proof_until=refund.proof_until,
            second=second_of(self.docket, refund),
            remedy=_remedy(refund.remedy),
            replaced=bool(refund.replaced_by),
        )

    def _view(self, movement: GatewayRefund) -> MovementView:
        can, share = self.can(self._account(movement)), self.docket.shares[movement.share_id]
        not_before = self.docket.taken_from(movement, can.limits)
        uncaptured = movement.id in self.docket.uncaptured_on(share)
        over = share.excess_minor > 0
        view = movement_view(movement, can, overdrawn=over, not_before=not_before, uncaptured=uncaptured)
        is_whole_hold = uncaptured and can.voids and self.docket.is_whole_hold(movement, share)
        return view._replace(whole_hold=True) if is_whole_hold else view

    def _relevant(self) -> list[GatewayRefund]:
        """A movement that was cancelled takes no part any more, unless an answer or a question about it is open."""
        return [m for m in self.movements.values() if m.state != MovementState.CANCELLED or _is_asked_about(m)]

    def _put(self, plan: Plan) -> None:
        """Write what the plan decides, calls apart."""
        refund, docket = self.refund, self.docket
        if plan.ends_inspection:
            end_overdue(docket, refund)
            return
        self._reroute(plan.route)
        if plan.replacement_over:
            pay_instead(docket, refund)
        self._change_movements(plan)
        for verb in plan.verbs:
            docket.follow(refund, verb)
            self._mark(verb)
        for kind in plan.incidents:
            self._open(kind)
        if refund.deadline != plan.deadline:
            refund.deadline = plan.deadline
            docket.touch(refund)
        for template in plan.messages:
            self._tell(template)
        if plan.contest_over:
            refund.contest_until = None
            docket.decide_anew(refund)
            send_back_refused(docket, refund)
        follow_proof(docket, refund, plan)
        self._ask_for_visits(plan)

    def _ask_for_visits(self, plan: Plan) -> None:
        if plan.new_pickup:
            add_pickup(self.docket, self.refund, drop_off=self.refund.way_back == WayBack.DROP_OFF)
        for number in plan.rebook:
            rebook(self.docket, self.refund, number)
        if plan.no_show:
            count_no_show(self.docket, self.refund, plan.no_show)

    def _open(self, kind: str) -> None:
        self.docket.open_incident(self.refund, kind, {"number": self.refund.number})
        if kind in TOO_LATE:
            self.docket.record(self.refund, f"refund.{kind}", {}, SYSTEM)

    def _change_movements(self, plan: Plan) -> None:
        for number, code in plan.given_up.items():
            self._give_up(self.movements[number], code)
        for number, kind in plan.kinds.items():
            self.docket.turn_into(self.movements[number], kind)

    def _give_up(self, movement: GatewayRefund, code: str) -> None:
        put_judged(self.docket, movement, Judged(movements.give_up(self._view(movement), code)))

    def _reroute(self, way: Route) -> None:
        refund = self.refund
        if way == refund.route:
            return
        if approval_lapses(Route(refund.route), way):
            refund.approved_at, refund.approved_by = None, ""
        refund.route = way.value
        self.docket.decide_anew(refund)
        say_assumed(self.docket, refund)
        self.docket.record(refund, "refund.rerouted", {"route": refund.route}, SYSTEM)

    def _mark(self, verb: str) -> None:
        """What an arrow leaves on the row besides the state."""
        if verb in ("await_return", "approve_refund"):
            self.refund.approved_at, self.refund.approved_by = self.docket.now, SYSTEM.reference
            self.docket.decide_anew(self.refund)
        elif verb == "reject":
            self.refund.rejection_code = Rejection.NOT_REVIEWED.value
            refused(self.docket, self.refund, by=SYSTEM)
        elif verb in ("return_fails", "recall"):
            self.refund.approved_at, self.refund.approved_by = None, ""
            forget_second(self.refund)
            self.docket.decide_anew(self.refund)

    def _tell(self, template: str) -> None:
        if template == "received":
            self.docket.record(self.refund, "refund.acknowledged", {}, SYSTEM)
        elif template in ("reminder", "offer_reminder"):
            self.docket.record(self.refund, "refund.reminded", {}, SYSTEM)
            self.refund.reminded_at = self.docket.now
            self.docket.decide_anew(self.refund)
        elif template == "replacing":
            ask_for_replacement(self.docket, self.refund)
        self.docket.tell(self.refund, template, self.policy)

    def _claim_all(self, plan: Plan, claims: Claims) -> None:
        self._claim_movements(plan.sends, claims, asks=False)
        self._claim_movements(plan.asks, claims, asks=True)
        for call in plan.parcels:
            self._claim_parcel(call, claims)

    def _claim_movements(self, numbers: Sequence[str], claims: Claims, *, asks: bool) -> None:
        """Claim what there is room for; the rest waits for its turn."""
        for number in numbers:
            movement = self.movements[number]
            account = self._account(movement)
            slot = slot_of(account, asks=asks)
            if claims.take(slot):
                self.result.calls.append(self._claim(movement, account, asks=asks))
            else:
                self.result.waiting[self.refund.id] = claims.wait(slot)

    def _claim_parcel(self, call: ParcelCall, claims: Claims) -> None:
        pickup = next((p for p in self.docket.pickups[self.refund.id] if p.number == call.subject), None)
        account = account_of(self.docket, self.refund, pickup or self.docket.shipment_numbered(call.subject))
        slot = slot_of(account, asks=call.act.asks)
        if claims.take(slot):
            self.result.calls.append(claim(self.docket, self.refund, call))
        else:
            self.result.waiting[self.refund.id] = claims.wait(slot)

    def _settle(self, *, is_due_now: bool) -> None:
        """Conditions and the next look, from the rows as they are now."""
        refund, docket, seen = self.refund, self.docket, self.see()
        merged = conditions.merge(
            refund.conditions, observe(seen, now=docket.now), generation=refund.generation, now=docket.now
        )
        if merged != refund.conditions:
            refund.conditions = merged
            docket.touch(refund)
        if refund.observed_generation != refund.generation or refund.failures:
            refund.observed_generation, refund.failures = refund.generation, 0
            docket.touch(refund)
        at = next_look(seen, self.policy, now=docket.now, timing=TIMING)
        docket.set_clock(refund, at)
        self.result.due_in[refund.id] = 0.0 if is_due_now else _seconds_until(at, docket.now)

    def _claim(self, movement: GatewayRefund, account: str, *, asks: bool) -> Outbound:
        now, before = self.docket.now, call_of(movement)
        if asks:
            put_call(movement, calls.asked(before, now=now, timing=TIMING))
            if calls.is_first_question(before):
                say_unanswered(self.docket, movement)
        else:
            put_call(movement, calls.claim(before, movement.kind, now=now, timing=TIMING))
            movement.first_sent_at = movement.first_sent_at or now
            self.docket.touch(self.refund)
        self.docket.changes.movements[movement.id] = movement
        return Outbound(
            refund_id=self.refund.id,
            account=account,
            movement=self._asked_for(movement),
            of=Attempt(attempt=movement.attempt, before=before, asked_at=now),
            asks=asks,
            voids=movement.kind == MovementKind.VOID,
        )

    def _account(self, movement: GatewayRefund) -> str:
        return self.docket.account_of(movement)

    def _asked_for(self, movement: GatewayRefund) -> Movement:
        return Movement(
            number=movement.number,
            idempotency_key=movement.idempotency_key,
            payment_reference=self.docket.payment_of(movement).reference,
            amount_minor=movement.amount_minor,
            currency=movement.currency,
            payee=movement.payee,
        )


def _is_asked_about(movement: GatewayRefund) -> bool:
    return movement.call != "idle" or movement.retry_at is not None


def _seconds_until(at: datetime | None, now: datetime) -> float | None:
    return None if at is None else max(0.0, (at - now).total_seconds())
