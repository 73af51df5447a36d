"""On which terms a refund is given: by whose fault it is, where the goods are, and what the policy says."""

import json

import pytest

from refunds.money import NO_DEDUCTION, Fee, Terms
from refunds.pages.reasons import REASONS
from refunds.policy import FAULTS, FeeRule, PolicySpec
from refunds.routing import GOODS_AT_FAULT
from refunds.states import Goods, Route
from refunds.terms import Circumstances, Fault, fault, terms

STRICT = PolicySpec(
    restocking_fee=FeeRule(100, {"EUR": 250}),
    return_shipping_fee=FeeRule(0, {"EUR": 499}),
    shipping="never",
    below_minimum="claw_back",
    bundles="whole",
)


def about(
    reason: str = "changed_mind", route: Route = Route.PICKUP, goods: Goods = Goods.RETURN, **facts: bool
) -> Circumstances:
    return Circumstances("EUR", reason, route, goods, **{"shipped": True, **facts})


def test_the_customer_who_changed_his_mind_bears_what_the_policy_says() -> None:
    assert terms(STRICT, about()) == Terms(
        shipping="never",
        supplement=False,
        restocking=Fee(100, 250),
        return_shipping=Fee(0, 499),
        deposit=True,
        claw_back=True,
        gifts=True,
        bundles="whole",
    )


@pytest.mark.parametrize("reason", ["damaged", "wrong_item", "lost", "too_late"])
def test_what_is_the_sellers_or_the_carriers_fault_costs_the_customer_nothing(reason: str) -> None:
    assert terms(STRICT, about(reason)) == Terms(gifts=True, bundles="whole")


def test_the_built_in_policy_takes_no_fee_and_keeps_deposits_supplements_and_gifts() -> None:
    built_in = PolicySpec()
    assert terms(built_in, about()) == Terms(supplement=False, deposit=True, gifts=True)
    lenient = PolicySpec(supplement="always", deposit="return", gifts="keep")
    assert terms(lenient, about()) == NO_DEDUCTION


def test_while_nothing_was_shipped_the_supplement_comes_back() -> None:
    assert terms(STRICT, about(route=Route.INSTANT, shipped=False)).supplement


@pytest.mark.parametrize(
    ("route", "goods", "restocked", "fetched"),
    [
        (Route.PICKUP, Goods.RETURN, True, True),
        (Route.PICKUP, Goods.ALREADY_SENT, True, False),
        (Route.INTERCEPT, Goods.RETURN, True, False),
        (Route.INSTANT, Goods.RETURN, False, False),
        (Route.REFUND_ONLY, Goods.KEEP, False, False),
    ],
)
def test_fees_are_for_goods_that_come_back(route: Route, goods: Goods, restocked: bool, fetched: bool) -> None:
    given = terms(STRICT, about(route=route, goods=goods))
    assert (given.restocking != Fee(), given.return_shipping != Fee()) == (restocked, fetched)


def test_a_fixed_fee_is_of_the_order_s_currency_only() -> None:
    yen = Circumstances("JPY", "", Route.PICKUP, Goods.RETURN, shipped=True)
    assert terms(STRICT, yen).restocking == Fee(100, 0)


@pytest.mark.parametrize("policy", ["completing", "first"])
def test_shipping_follows_the_policy_s_rule_whoever_is_at_fault(policy: str) -> None:
    rule = PolicySpec(shipping=policy)
    assert {terms(rule, about(reason)).shipping for reason in ("", "damaged")} == {policy}


def test_what_never_arrived_is_the_carriers_fault_whatever_the_reason() -> None:
    assert fault(STRICT, about("changed_mind", goods=Goods.NOT_RECEIVED)) is Fault.CARRIER


def test_what_the_shop_began_is_its_own_fault_unless_the_reason_says_otherwise() -> None:
    assert fault(STRICT, about("", by_shop=True)) is Fault.SELLER
    assert fault(STRICT, about("too_late", by_shop=True)) is Fault.CARRIER


@pytest.mark.parametrize("reason", sorted({*GOODS_AT_FAULT, "lost", "not_received"}))
def test_of_what_never_left_only_the_shop_can_say_how_it_is(reason: str) -> None:
    assert fault(STRICT, about(reason, Route.INSTANT)) is Fault.CUSTOMER
    assert fault(STRICT, about("", Route.INSTANT, Goods.NOT_RECEIVED)) is Fault.CUSTOMER
    assert fault(STRICT, about(reason, Route.INSTANT, by_shop=True)) is not Fault.CUSTOMER
    assert fault(STRICT, about("out_of_stock", Route.INSTANT)) is Fault.SELLER
    assert fault(STRICT, about("too_late", Route.INSTANT)) is Fault.CARRIER


def test_every_reason_a_customer_can_choose_has_its_fault() -> None:
    faults = {code: fault(PolicySpec(), about(code)) for code, _ in REASONS}
    assert {code for code, whose in faults.items() if whose is Fault.SELLER} == GOODS_AT_FAULT
    assert {code for code, whose in faults.items() if whose is Fault.CARRIER} == {"too_late"}
    assert FAULTS.keys() >= GOODS_AT_FAULT
    assert fault(PolicySpec(faults={"changed_mind": "seller"}), about()) is Fault.SELLER


def test_a_policy_reads_as_it_was_written_and_what_it_does_not_name_is_built_in() -> None:
    assert PolicySpec.from_json(json.loads(json.dumps(STRICT.to_json()))) == STRICT
    assert PolicySpec.from_json({"deposit": "return"}) == PolicySpec(deposit="return")
    with pytest.raises(TypeError, match="unknown policy fields"):
        PolicySpec.from_json({"deposits": "return"})
