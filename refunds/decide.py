"""What a refund does next. Pure, and the page to read first: (what is seen, the policy, the time) -> a Plan.

Everything is decided here, for the first look as for the hundredth, after a crash, a webhook or a resync: no step
remembers that another one ran. What is seen was read under the order's lock.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from refunds import goods, movements, paying, proving
from refunds.calls import Timing
from refunds.clocks import runs_out
from refunds.parcels import ParcelCall, Wants
from refunds.policy import PolicySpec
from refunds.seen import AWAITS_REPLACEMENT, Seen
from refunds.states import (
    FINAL_STATES,
    GOODS_MAY_ARRIVE,
    PAID_STATES,
    REFUND_ARROWS,
    WISH_STATES,
    Goods,
    MovementKind,
    Proof,
    RefundState,
    Remedy,
    Route,
)

_TARGETS = {(source, arrow.verb): arrow.target for arrow in REFUND_ARROWS for source in arrow.sources}
#: What the customer is told when an arrow is taken.
_TOLD = {
    "fail": "failed",
    "reverse": "reversed",
    "reject": "rejected",
    "expire": "expired",
    "cancel": "cancelled",
}
#: What the customer is told when his time is nearly over.
_REMINDERS = {RefundState.AWAITING_RETURN: ("reminder",), RefundState.OFFERED: ("offer_reminder",)}
#: The case that an arrow opens.
_OPENED = {"fail": "refund_failed", "reverse": "refund_reversed", "return_fails": "return_failed"}


@dataclass(frozen=True, slots=True)
class Plan:
    """What follows: FSM verbs in order, calls to make, messages, cases for people.

    `sends` and `asks` are movement numbers; these and `parcels` are wishes: whoever claims them may have no room and
    leave them for the next look. `given_up`: movements that are not to leave any more, with the reason. `kinds`: those
    that go another way than was meant. `new_pickup`: a courier is wanted for the first time; `rebook`: pickups to be
    booked again; `no_show`: the one whose courier did not come. `counts_as_left`: nobody said in time that the units
    were kept from leaving. `asks_proof`: of the delivery; `proof_over`: nobody gave it in time. `contest_over`: the
    time to contest what was refused is. `replacement_over`: nothing replaces it in time, so the money goes.
    `ends_inspection`: boxes that were still to come did not come in time: what was found in the others stands.
    """

    route: Route
    given_up: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, MovementKind] = field(default_factory=dict)
    verbs: tuple[str, ...] = ()
    sends: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    parcels: tuple[ParcelCall, ...] = ()
    new_pickup: bool = False
    rebook: tuple[str, ...] = ()
    no_show: str = ""
    messages: tuple[str, ...] = ()
    incidents: tuple[str, ...] = ()
    deadline: datetime | None = None
    counts_as_left: bool = False
    contest_over: bool = False
    asks_proof: bool = False
    proof_over: bool = False
    replacement_over: bool = False
    ends_inspection: bool = False


def decide(seen: Seen, policy: PolicySpec, *, now: datetime) -> Plan:
    """The plan for one refund. The same facts give the same plan; a plan that changes nothing is empty."""
    seen, replacement_over = _money_instead(seen, now)
    seen, given_up = paying.given_up(_rerouted(seen), is_late=_is_overdue(seen, now))
    verbs, after = _follow_arrows(seen, policy, now)
    after, kinds = paying.turned(after)
    wants = _wants(after, policy, now)
    return Plan(
        route=after.route,
        given_up=given_up,
        kinds=kinds,
        verbs=verbs,
        sends=tuple(
            m.number for m in after.movements if paying.may_send(m, after, now) and movements.wants_send(m, now)
        ),
        asks=tuple(m.number for m in after.movements if movements.wants_ask(m, now)),
        parcels=goods.calls_due(after.goods, _way(after), wants, now=now),
        new_pickup=wants.fetch and goods.needs_pickup(after.goods, _way(after), policy),
        rebook=goods.rebooked(after.goods, policy) if wants.fetch else (),
        no_show=goods.no_show(after.goods, policy, now=now) if wants.fetch else "",
        messages=_messages(after, policy, verbs, now),
        incidents=tuple(kind for kind in _incidents(after, policy, verbs, now) if kind not in seen.incidents),
        deadline=_deadline(after, policy, now),
        counts_as_left=after.awaits_stop and _is_overdue(after, now),
        asks_proof=proving.asks(after),
        proof_over=proving.is_over(seen, now),
        contest_over=seen.contest_until is not None and seen.contest_until <= now,
        replacement_over=replacement_over,
        ends_inspection=_is_uninspected(after, now) and after.goods.noted,
    )


def next_look(seen: Seen, policy: PolicySpec, *, now: datetime, timing: Timing) -> datetime | None:
    """When the refund is looked at again by itself; None: never, all of it has ended."""
    times = [t for m in seen.movements if paying.is_watched(m, seen, now) and (t := movements.next_time(m, now))]
    times += goods.next_times(seen.goods, _way(seen), _wants(seen, policy, now), policy, now=now)
    if seen.contest_until and seen.contest_until > now:
        times.append(seen.contest_until)
    if seen.state not in FINAL_STATES:
        times.append(now + timedelta(seconds=timing.ask_cap_seconds))
        times += [t for t in (*_own_times(seen, policy), *goods.assumed_times(seen.goods)) if t > now]
    return min(times, default=None)


def _own_times(seen: Seen, policy: PolicySpec) -> Iterator[datetime]:
    if not seen.acknowledged:
        yield _acknowledge_at(seen, policy)
    if seen.held_until:
        yield seen.held_until
    if seen.proof is Proof.AWAITED and seen.proof_until:
        yield seen.proof_until
    if seen.deadline:
        yield seen.deadline
        yield seen.deadline - timedelta(seconds=policy.remind_before_seconds)


def _rerouted(seen: Seen) -> Seen:
    """The route as it is now, fixed once money is claimed. Who agreed while nothing had left did not agree to more."""
    route = seen.route if seen.is_claimed else goods.route_now(seen.goods, seen.route)
    if route is seen.route:
        return seen
    return seen._replace(route=route, approved=seen.approved and not approval_lapses(seen.route, route))


def _money_instead(seen: Seen, now: datetime) -> tuple[Seen, bool]:
    """Nothing replaces it in time: it is paid like any other, with the whole time to pay."""
    is_over = seen.awaits_replacement and seen.waited_for == AWAITS_REPLACEMENT and _is_overdue(seen, now)
    return (seen._replace(remedy=Remedy.MONEY, deadline=None), True) if is_over else (seen, False)


def approval_lapses(before: Route, after: Route) -> bool:
    return before is Route.INSTANT and after is not Route.INSTANT


def _follow_arrows(seen: Seen, policy: PolicySpec, now: datetime) -> tuple[tuple[str, ...], Seen]:
    verbs: list[str] = []
    while verb := _wished_verb(seen) or _next_verb(seen, policy, now):
        verbs.append(verb)
        approved = seen.approved or verb == "approve_refund"
        seen = seen._replace(state=RefundState(_TARGETS[seen.state, verb]), deadline=None, approved=approved)
    return tuple(verbs), seen


def _wished_verb(seen: Seen) -> str | None:
    is_free = seen.state in WISH_STATES and goods.is_called_off(seen.goods) and not goods.has_left(seen.goods)
    return "cancel" if seen.cancel_wanted and is_free else None


def _next_verb(seen: Seen, policy: PolicySpec, now: datetime) -> str | None:
    match seen.state:
        case RefundState.REQUESTED if not seen.awaits_stop:
            return _first_verb(seen, policy)
        case RefundState.IN_REVIEW | RefundState.OFFERED:
            return _verb_without_an_answer(seen, policy, now)
        case RefundState.AWAITING_RETURN:
            overdue, clock = _is_overdue(seen, now), seen.clock(now)
            return goods.returning_verb(seen.goods, seen.route, policy, overdue=overdue, now=clock)
        case RefundState.INSPECTING if _is_uninspected(seen, now) and not seen.goods.noted:
            return "accept_goods"
        case RefundState.REFUNDING:
            return paying.verb(seen, is_late=_is_overdue(seen, now))
        case RefundState.FAILED if seen.has_moved:
            return "settle"
        case RefundState.REFUNDED | RefundState.PARTIALLY_REFUNDED if paying.any_reversed(seen):
            return "reverse"
    return None


def _is_uninspected(seen: Seen, now: datetime) -> bool:
    """The warehouse has not looked at the goods in time, and nobody says that they are not what was announced."""
    return seen.state is RefundState.INSPECTING and _is_overdue(seen, now) and not seen.goods.doubted


def _verb_without_an_answer(seen: Seen, policy: PolicySpec, now: datetime) -> str | None:
    """When an agent, or the customer about an offer, has not said anything in time. By the clock alone nobody loses
    both his goods and his money: then a person looks."""
    has_left, overdue = goods.has_left(seen.goods), _is_overdue(seen, now)
    if proving.pays(seen, policy, now):
        return "approve_refund"
    if seen.state is RefundState.OFFERED:
        return "decline_offer" if overdue or has_left else None
    return "reject" if overdue and policy.review_outcome == "reject" and not has_left else None


def _first_verb(seen: Seen, policy: PolicySpec) -> str:
    if seen.contested or seen.lacks_second:
        return "send_to_review"
    is_instant = seen.needs_nobody and not policy.looks_first(seen.amount_minor, seen.currency)
    if is_instant or seen.amount_minor == 0:
        return "pay_at_once"
    return "await_return" if policy.approve_returns and seen.route is Route.PICKUP else "send_to_review"


def _is_overdue(seen: Seen, now: datetime) -> bool:
    return seen.deadline is not None and seen.deadline <= now and not seen.is_on_hold(now)


def _wants(seen: Seen, policy: PolicySpec, now: datetime) -> Wants:
    """Goods are wanted back: approved, or they left although the money had gone out for them. What a courier has of a
    refund that ended without it is followed as long as it may still arrive."""
    is_due = seen.state is RefundState.AWAITING_RETURN or seen.has_shipped_after
    keep = is_due and not seen.cancel_wanted
    arrives = seen.state in GOODS_MAY_ARRIVE | PAID_STATES and goods.may_arrive(seen.goods, policy, now=now)
    follow = seen.state not in FINAL_STATES or arrives
    return Wants(fetch=keep and not seen.is_on_hold(now), keep=keep, follow=follow)


def _way(seen: Seen) -> Route:
    return Route.INTERCEPT if seen.has_shipped_after else seen.route


def _acknowledge_at(seen: Seen, policy: PolicySpec) -> datetime:
    """An instant refund is given the time to say "received" and "refunded" in one message."""
    delay = policy.acknowledge_after_seconds if seen.route is Route.INSTANT else 0
    return seen.created_at + timedelta(seconds=delay)


def _messages(seen: Seen, policy: PolicySpec, verbs: tuple[str, ...], now: datetime) -> tuple[str, ...]:
    if "succeed" in verbs or "settle" in verbs:
        return (_ended(seen),)
    told = tuple(_told(seen, verbs))
    if told or seen.state in FINAL_STATES:
        return told
    if not seen.acknowledged:
        return ("received",) if _acknowledge_at(seen, policy) <= now else ()
    is_time = seen.deadline is not None and seen.deadline - timedelta(seconds=policy.remind_before_seconds) <= now
    wants = is_time and not seen.reminded and not seen.is_on_hold(now)
    return _REMINDERS.get(seen.state, ()) if wants and _customer_is_late(seen) else ()


def _ended(seen: Seen) -> str:
    if seen.replaced:
        return "replaced"
    return "refunded" if seen.acknowledged else "refunded_at_once"


def _told(seen: Seen, verbs: tuple[str, ...]) -> Iterator[str]:
    """Where a courier comes, the approval is told with his visit."""
    if seen.awaits_replacement and seen.waited_for != AWAITS_REPLACEMENT and not seen.promised:
        yield "replacing"
    if "await_return" in verbs and seen.goods.wanted is Goods.ALREADY_SENT:
        yield "approved"
    if "decline_offer" in verbs and not goods.has_left(seen.goods):
        yield "offer_expired"
    for verb in verbs:
        if verb == "fail" and paying.any_reversed(seen):
            yield _TOLD["reverse"]
        elif verb in _TOLD:
            yield _TOLD[verb]


def _customer_is_late(seen: Seen) -> bool:
    if seen.state is RefundState.AWAITING_RETURN:
        return seen.route is Route.PICKUP and not goods.is_handed_over(seen.goods)
    return seen.state is RefundState.OFFERED


def _incidents(seen: Seen, policy: PolicySpec, verbs: tuple[str, ...], now: datetime) -> Iterator[str]:
    yield from (_OPENED[verb] for verb in verbs if verb in _OPENED)
    if seen.has_shipped_after and not seen.knows_shipped_after:
        yield "shipped_after_refund"
    if seen.has_delivered_after and not seen.knows_delivered_after:
        yield "delivered_after_refund"
    yield from paying.incidents(seen, policy, now)
    if seen.state is RefundState.IN_REVIEW and _is_overdue(seen, now):
        yield "review_overdue"
    if proving.is_case(seen, policy, now):
        yield "proof_missing"


def _deadline(seen: Seen, policy: PolicySpec, now: datetime) -> datetime | None:
    """A stored deadline stays; a state that was just entered gets its own, which a hold moves on when it ends. So does
    the time to pay once its money waits for others, or does not any more."""
    seconds = _seconds(seen, policy)
    if seconds is None:
        return None
    is_another = seen.state is RefundState.REFUNDING and seen.waits_for != seen.waited_for
    if seen.deadline and not is_another:
        return seen.deadline
    start, on_shop = seen.clock(now), seen.awaits_replacement
    return runs_out(seen.state, policy.calendar, start=start, seconds=seconds, on_shop=on_shop)


def _seconds(seen: Seen, policy: PolicySpec) -> int | None:
    """How long it may stay in its state; None: for ever, or not by this clock."""
    if seen.state is RefundState.REFUNDING:
        return paying.seconds_to_pay(seen, policy)
    return {
        RefundState.REQUESTED: policy.confirm_seconds if seen.awaits_stop else None,
        RefundState.IN_REVIEW: policy.review_seconds,
        RefundState.OFFERED: policy.offer_seconds,
        RefundState.AWAITING_RETURN: policy.return_seconds,
        RefundState.INSPECTING: policy.inspect_seconds,
    }.get(seen.state)
