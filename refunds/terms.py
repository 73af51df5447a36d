"""The terms a refund is given on: what the policy says, by whose fault it is and where the goods are. Pure."""

from dataclasses import dataclass, replace
from enum import StrEnum

from refunds.money import Fee, Terms
from refunds.policy import FeeRule, PolicySpec
from refunds.routing import GOODS_AT_FAULT
from refunds.states import Goods, Route

#: Reasons of who has had the goods in his hands, or waited for them in vain.
_OF_ARRIVAL = GOODS_AT_FAULT | {"lost", "not_received"}


class Fault(StrEnum):
    CUSTOMER = "customer"
    SELLER = "seller"
    CARRIER = "carrier"


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a refund is about. `shipped`: something of its order has left. `by_shop`: nobody had to ask for it."""

    currency: str
    reason_code: str
    route: Route
    goods: Goods
    shipped: bool
    by_shop: bool = False


def terms(policy: PolicySpec, about: Circumstances) -> Terms:
    """What is not the customer's fault costs him nothing: no fees, no deposit, no discount; shipping is given back with
    its supplement. A gift goes with what it came with, whoever is at fault.
    """
    waived = fault(policy, about) is not Fault.CUSTOMER
    restocks = about.route in (Route.PICKUP, Route.INTERCEPT) and about.goods in (Goods.RETURN, Goods.ALREADY_SENT)
    fetched = about.route is Route.PICKUP and about.goods is Goods.RETURN
    return Terms(
        shipping="completing" if waived and policy.shipping == "never" else policy.shipping,
        supplement=waived or policy.supplement == "always" or not about.shipped,
        restocking=_fee(policy.restocking_fee, about.currency, due=restocks and not waived),
        return_shipping=_fee(policy.return_shipping_fee, about.currency, due=fetched and not waived),
        deposit=policy.deposit == "keep" and not waived,
        claw_back=policy.below_minimum == "claw_back" and not waived,
        gifts=policy.gifts == "deduct",
        bundles=policy.bundles,
    )


def fault(policy: PolicySpec, about: Circumstances) -> Fault:
    """By whether the goods ever arrived, and by the reason given; without one it is his who began it. Of what has not
    left nobody can say how it arrived, but the shop itself, where it lies.
    """
    if about.route is Route.INSTANT and not about.by_shop and _is_of_arrival(about):
        return Fault.CUSTOMER
    if about.goods is Goods.NOT_RECEIVED:
        return Fault.CARRIER
    return Fault(policy.faults.get(about.reason_code, Fault.SELLER if about.by_shop else Fault.CUSTOMER))


def excuses(policy: PolicySpec, way: Route) -> tuple[str, ...]:
    """The reasons that make it somebody else's fault where units go this way."""
    about = Circumstances(currency="", reason_code="", route=way, goods=Goods.RETURN, shipped=way is not Route.INSTANT)
    found = {code: fault(policy, replace(about, reason_code=code)) for code in policy.faults}
    return tuple(code for code, whose in found.items() if whose is not Fault.CUSTOMER)


def _is_of_arrival(about: Circumstances) -> bool:
    return about.goods is Goods.NOT_RECEIVED or about.reason_code in _OF_ARRIVAL


def _fee(rule: FeeRule, currency: str, *, due: bool) -> Fee:
    return Fee(rule.per_mille, rule.fixed_minor.get(currency, 0)) if due else Fee()
