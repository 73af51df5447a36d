"""What a policy makes of a request: by the very rules of a request (`refunds.terms`, `refunds.money`) and of its first
look (`refunds.decide`)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from orders.states import Fulfilment
from refunds.approving import Asked as ToBePaid
from refunds.approving import Second, is_protected
from refunds.cuts import Cut
from refunds.decide import decide
from refunds.goods import GoodsSeen, route_now
from refunds.money import Ask, Sheet, SoldAsSet, Terms, capped, check_sets, sheet
from refunds.policy import PolicySpec
from refunds.routing import UnitsAt, route
from refunds.seen import Seen
from refunds.simulating.asked import Asked, AskedUnits
from refunds.states import Goods, Place, RefundState, RefundTo, Remedy, Route, Stop
from refunds.terms import Circumstances, Fault, fault, terms

_BACK = (Goods.RETURN, Goods.ALREADY_SENT)


class NotAsItWas(Exception):
    """The rows have gone on since, so that nobody can say what a policy would have made of it."""


class FirstStep(StrEnum):
    """What happens first; its value is what people read."""

    REFUSED = "refused"
    PAID = "paid at once"
    REVIEWED = "looked at by a person"
    AWAITED = "approved by itself"


_STEPS = {
    "pay_at_once": FirstStep.PAID,
    "send_to_review": FirstStep.REVIEWED,
    "await_return": FirstStep.AWAITED,
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """`refused`: what is not taken back, and why, in words; of all its units, where the first step is REFUSED.
    `confirms_stop`: the money waits until somebody says that the units stay. What does not come up is empty."""

    first: FirstStep
    amount_minor: int = 0
    fees_minor: int = 0
    route: str = ""
    refused: str = ""
    needs_second: bool = False
    confirms_stop: bool = False
    awaits_credit_note: bool = False
    way_back: str = ""
    pay_on: str = ""
    refund_to: str = ""


def outcome(asked: Asked, policy: PolicySpec, *, before: PolicySpec) -> Outcome:
    """`before`: the policy that it was decided by. Raises NotAsItWas where what is asked does not fit the order."""
    refusals = [_refusal(asked, units, policy) for units in asked.units]
    kept = [units for units, why in zip(asked.units, refusals, strict=True) if not why]
    told = ", ".join(sorted({why for why in refusals if why}))
    if told and not kept:
        return Outcome(FirstStep.REFUSED, refused=told)
    if policy.bundles != before.bundles and _splits_a_set(asked, kept, policy):
        return Outcome(FirstStep.REFUSED, refused="sold as a set")
    places = _places(asked, kept, policy)
    way = _route(asked, places)
    worth = drawn(asked, kept, policy, way)
    return replace(_after(asked, policy, places, worth), refused=told, way_back=_way_back(asked, policy, before, way))


def drawn(asked: Asked, units: Sequence[AskedUnits], policy: PolicySpec, way: Route) -> Sheet:
    """The sheet of these units, and of what is asked beside them, on the policy's terms."""
    try:
        worth = sheet(asked.money, _ask(asked, units), _terms(asked, policy, way))
    except ValueError as error:
        raise NotAsItWas(f"what was asked for does not fit the order: {error}") from error
    return worth if asked.charged else capped(worth, 0, Cut.NOT_CHARGED)


def _ask(asked: Asked, units: Sequence[AskedUnits]) -> Ask:
    wanted = Counter[str]()
    for one in units:
        wanted[one.line_id] += one.quantity
    return replace(asked.ask, units=wanted)


def _splits_a_set(asked: Asked, units: Sequence[AskedUnits], policy: PolicySpec) -> bool:
    """A set counts as one wherever its units are: of a request that went several ways nobody can say."""
    try:
        check_sets(asked.money, _ask(asked, units), Terms(bundles=policy.bundles))
    except SoldAsSet as error:
        if asked.is_part:
            raise NotAsItWas("it is a part of a request, and sets are judged by the whole") from error
        return True
    return False


def first_route(asked: Asked, policy: PolicySpec) -> Route:
    """The one route that all of its units went."""
    places = _places(asked, asked.units, policy)
    if len({route(units, asked.goods) for units in places}) > 1:
        raise NotAsItWas("its units are said to have been in several places")
    return _route(asked, places)


def _places(asked: Asked, units: Sequence[AskedUnits], policy: PolicySpec) -> tuple[UnitsAt, ...]:
    return tuple(
        UnitsAt(u.line_id, asked.place_of(u, policy), u.quantity, u.parcel_id, Fulfilment(u.line.fulfilment))
        for u in units
    )


def _route(asked: Asked, places: tuple[UnitsAt, ...]) -> Route:
    return route_now(GoodsSeen(asked.goods, places), Route.REFUND_ONLY)


def _about(asked: Asked, way: Route) -> Circumstances:
    return Circumstances(
        currency=asked.currency,
        reason_code=asked.reason_code,
        route=way,
        goods=asked.goods if asked.units else Goods.KEEP,
        shipped=asked.has_shipped,
        by_shop=asked.by_shop,
    )


def _terms(asked: Asked, policy: PolicySpec, way: Route) -> Terms:
    return terms(policy, _about(asked, way))


def _refusal(asked: Asked, units: AskedUnits, policy: PolicySpec) -> str:
    """Why these are not taken back, in words; empty: they are."""
    if not asked.is_bound or asked.contested:
        return ""
    [place] = _places(asked, [units], policy)
    is_own = fault(policy, _about(asked, route(place, asked.goods))) is Fault.CUSTOMER
    line = replace(units.line, has_left=place.place is not Place.UNSHIPPED)
    why = policy.takes_back.refusal(line, asked.since(units, policy), by_customer=is_own, now=asked.at)
    if why is None:
        return ""
    return f"excluded by {why.rule}" if why.code == "excluded" else "the window is over"


def _after(asked: Asked, policy: PolicySpec, places: tuple[UnitsAt, ...], worth: Sheet) -> Outcome:
    way, amount = _route(asked, places), worth.total_minor
    needs_second = is_protected(ToBePaid(amount, asked.currency, labels=asked.labels), policy)
    to_credit = policy.refund_to == RefundTo.STORE_CREDIT and asked.has_credit
    return Outcome(
        first=_first(asked, policy, places, amount, Second.MISSING if needs_second else Second.NOT_NEEDED),
        amount_minor=amount,
        fees_minor=worth.fees_minor,
        route=way.value,
        needs_second=needs_second,
        confirms_stop=way is Route.INSTANT and _may_leave(places) and policy.awaits_stop(amount),
        awaits_credit_note=policy.hold_for_credit_note and amount > 0,
        pay_on=policy.pay_on if way is Route.PICKUP and asked.goods in _BACK else "",
        refund_to=(RefundTo.STORE_CREDIT if to_credit else RefundTo.ORIGINAL).value if amount else "",
    )


def _may_leave(places: tuple[UnitsAt, ...]) -> bool:
    return any(units.place is Place.UNSHIPPED for units in places)


def _first(asked: Asked, policy: PolicySpec, places: tuple[UnitsAt, ...], amount: int, second: Second) -> FirstStep:
    """The first arrow that it takes, once the units are known to stay."""
    way = _route(asked, places)
    seen = Seen(
        state=RefundState.REQUESTED,
        route=way,
        amount_minor=amount,
        currency=asked.currency,
        created_at=asked.at,
        goods=GoodsSeen(asked.goods, places),
        stop=Stop.STOPPED,
        by_shop=asked.needs_nobody,
        contested=asked.contested,
        second=second,
        remedy=asked.remedy if way is not Route.INSTANT else Remedy.MONEY,
    )
    return _STEPS[decide(seen, policy, now=asked.at).verbs[0]]


def _way_back(asked: Asked, policy: PolicySpec, before: PolicySpec, way: Route) -> str:
    """As he asked; what is as the policy had it counts as not asked for."""
    if way is not Route.PICKUP or asked.goods is not Goods.RETURN:
        return ""
    return policy.way_back if asked.way_back == before.way_back else asked.way_back
