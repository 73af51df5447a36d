"""The example policies of the docs: each can be read, and decides what it is there for, on real orders."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from orders import clock
from orders.models import Channel, Shipment
from orders.roles import Actor, Role
from refunds.calendars import ends_worked
from refunds.declared import structure
from refunds.declared.envelope import Declared, checked, read_manifest
from refunds.declared.policy_rules import read_policy
from refunds.models import Manifest, Refund
from refunds.policy import PolicySpec
from refunds.services.manifests.applying import Declarer, approve_manifest
from tests.integration.asking.conftest import Bought, Shop, entries, line, units
from tests.integration.engine.conftest import Engine
from tests.integration.policies import declared

FOLDER = Path(__file__).parents[3] / "docs" / "policies"
NAMES = sorted(path.stem for path in FOLDER.glob("*.yaml"))
SECOND = Declarer(Actor("operator:bob", Role.FINANCE))
PutInForce = Callable[..., Manifest]


def read(name: str) -> Declared:
    found, wrong = read_manifest(yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8")))
    assert found is not None, wrong
    return found


def rules(name: str) -> PolicySpec:
    policy, _ = read_policy(read(name).spec)
    assert policy is not None
    return policy.rules


def in_force(*names: str) -> None:
    """Applied by one person, agreed to by another."""
    for name in names:
        row = declared.policy(name, **read(name).spec)
        if not said_to_be_ready(row):
            approve_manifest(row.kind, row.name, declared.AGREED, SECOND)
            row = declared.synced(row)
        assert said_to_be_ready(row), row.conditions


def said_to_be_ready(row: Manifest) -> bool:
    return declared.said(row)["Ready"][0] == "True"


@pytest.fixture
def shop(db: None) -> Shop:
    return Shop(Channel.objects.get(is_default=True))


def received(bought: Bought, days_ago: float = 0) -> Bought:
    bought.ship()
    at = clock.now() - timedelta(days=days_ago)
    Shipment.objects.filter(order__number=bought.number).update(shipped_at=at, delivered_at=at)
    return bought


def looked_at(refund: Any) -> Refund:
    """After the engine's first look."""
    row = Refund.objects.get(number=refund["metadata"]["number"])
    Engine().begin(row)
    return Refund.objects.get(pk=row.pk)


def test_all_of_them_are_tested() -> None:
    assert NAMES == ["digital", "electronics", "fresh-food", "marketplace", "seven-days"]


@pytest.mark.parametrize("name", NAMES)
def test_it_is_read_without_a_violation(name: str) -> None:
    found = read(name)
    assert (found.name, checked(found)) == (name, [])
    assert structure.judged(found.spec)[1] is None


@pytest.mark.parametrize("name", NAMES)
def test_each_is_for_its_own_orders(shop: Shop, name: str) -> None:
    in_force(*NAMES)
    bought = shop.order(line("A", 1000), labels=read(name).spec["selector"]["labels"])
    refund = bought.refund(units(A=1))
    assert Refund.objects.get(number=refund["metadata"]["number"]).policy_version.name == name


@pytest.mark.parametrize("name", NAMES)
def test_the_page_explains_it(name: str) -> None:
    assert f"(policies/{name}.yaml)" in (FOLDER.parent / "policies.md").read_text(encoding="utf-8")


class TestSevenDays:
    def order(self, shop: Shop, **labels: str) -> Bought:
        in_force("seven-days")
        return shop.order(line("SHIRT", 20000, labels=labels), currency="CNY", labels={"market": "cn"})

    def test_no_reason_is_needed_and_nobody_has_to_approve(self, shop: Shop) -> None:
        refund = received(self.order(shop), 6).refund(units(SHIRT=1) | {"reason": "no_reason"})
        assert looked_at(refund).state == "awaiting_return"
        assert ("return_shipping", -1000) in entries(refund)

    def test_what_is_our_fault_costs_him_nothing_and_has_longer(self, shop: Shop) -> None:
        refund = received(self.order(shop), 30).refund(units(SHIRT=1) | {"reason": "damaged"})
        assert refund["spec"]["amount_minor"] == 20000

    def test_after_seven_days_it_is_too_late(self, shop: Shop) -> None:
        answer = received(self.order(shop), 9).ask(units(SHIRT=1) | {"reason": "no_reason"})
        assert (answer.status, answer.body["code"]) == (409, "window_over")

    def test_what_was_made_for_him_is_not_taken_back_even_before_it_leaves(self, shop: Shop) -> None:
        answer = self.order(shop, custom="true").ask(units(SHIRT=1))
        assert (answer.status, answer.body["rule"]) == (409, "made for you")

    def test_the_shop_s_time_stands_still_over_national_day_and_runs_on_make_up_workdays(self) -> None:
        """From Wednesday noon: the rest of the day, then Thursday the 8th; a Saturday that is worked counts."""
        calendar, noon = rules("seven-days").calendar, datetime(2026, 9, 30, 4, tzinfo=UTC)
        assert ends_worked(calendar, noon, 86_400) == datetime(2026, 10, 8, 4, tzinfo=UTC)
        assert ends_worked(calendar, noon, 3 * 86_400) == datetime(2026, 10, 10, 4, tzinfo=UTC)


class TestDigital:
    def order(self, shop: Shop) -> Bought:
        in_force("digital")
        game = line("GAME", 3000, fulfilment="digital")
        return shop.order(game, line("BOX", 1000), labels={"store": "downloads"})

    def test_a_change_of_mind_comes_too_late(self, shop: Shop) -> None:
        answer = self.order(shop).ask(units(GAME=1) | {"reason": "changed_mind"})
        assert (answer.status, answer.body["rule"]) == (409, "downloads")

    def test_what_does_not_work_is_looked_at_and_nothing_comes_back(self, shop: Shop) -> None:
        refund = looked_at(self.order(shop).refund(units(GAME=1) | {"reason": "defective"}))
        assert (refund.state, refund.route) == ("in_review", "refund_only")

    def test_what_has_not_left_yet_can_be_cancelled(self, shop: Shop) -> None:
        assert looked_at(self.order(shop).refund(units(BOX=1))).state == "refunding"


class TestFreshFood:
    def order(self, shop: Shop, days_ago: float = 0) -> Bought:
        in_force("fresh-food")
        fish = line("FISH", 1500, labels={"fresh": "true"})
        return received(shop.order(fish, line("TIN", 300), labels={"store": "grocery"}), days_ago)

    def test_it_is_not_taken_back_for_a_change_of_mind(self, shop: Shop) -> None:
        answer = self.order(shop).ask(units(FISH=1) | {"reason": "changed_mind"})
        assert (answer.status, answer.body["rule"]) == (409, "fresh food")

    def test_what_is_spoiled_is_paid_without_coming_back_once_somebody_has_looked(self, shop: Shop) -> None:
        refund = looked_at(self.order(shop).refund(units(FISH=1) | {"reason": "spoiled", "goods": "keep"}))
        assert (refund.state, refund.route, refund.amount_minor) == ("in_review", "refund_only", 1500)
        assert refund.deadline is not None
        assert refund.deadline - clock.now() < timedelta(hours=4)

    def test_after_two_days_nobody_can_tell_any_more(self, shop: Shop) -> None:
        answer = self.order(shop, 4).ask(units(FISH=1) | {"reason": "spoiled", "goods": "keep"})
        assert (answer.status, answer.body["code"]) == (409, "window_over")

    def test_photos_are_needed_where_they_show_something(self) -> None:
        needed = {reason.code: reason.evidence for reason in rules("fresh-food").reasons}
        assert needed["spoiled"] == needed["damaged"] == "required"


class TestElectronics:
    def order(self, shop: Shop, price: int, **labels: str) -> Bought:
        in_force("electronics")
        return shop.order(line("TV", price), labels={"store": "electronics"} | labels)

    def test_a_small_amount_waits_for_the_word_that_nothing_left(self, shop: Shop) -> None:
        refund = looked_at(self.order(shop, 15000).refund(units(TV=1)))
        assert (refund.state, refund.stop) == ("requested", "awaited")

    @pytest.mark.parametrize(("price", "risk"), [(150000, "low"), (500, "high")])
    def test_a_large_one_and_a_risky_one_need_a_second_person(self, shop: Shop, price: int, risk: str) -> None:
        refund = looked_at(received(self.order(shop, price, risk=risk)).refund(units(TV=1)))
        assert refund.state == "in_review"
        [said] = [c for c in refund.conditions if c["type"] == "ApprovalConformant"]
        assert said["reason"] == "Missing"

    def test_one_below_that_needs_one(self, shop: Shop) -> None:
        refund = looked_at(received(self.order(shop, 90000)).refund(units(TV=1)))
        assert refund.state == "in_review"
        assert not [c for c in refund.conditions if c["type"] == "ApprovalConformant"]

    def test_a_fault_is_taken_back_for_two_years(self, shop: Shop) -> None:
        bought = received(self.order(shop, 90000), 400)
        assert bought.ask(units(TV=1)).body["code"] == "window_over"
        assert bought.ask(units(TV=1) | {"reason": "defective"}).status == 202


class TestMarketplace:
    def order(self, shop: Shop) -> Bought:
        in_force("marketplace")
        lines = (line("LAMP", 10000), line("CREAM", 2000, labels={"hygiene": "true"}))
        return received(shop.order(*lines, labels={"sold_by": "partner"}), 20)

    def test_a_tenth_and_the_way_back_are_kept(self, shop: Shop) -> None:
        refund = self.order(shop).refund(units(LAMP=1))
        assert ("restocking", -1000) in entries(refund)
        assert ("return_shipping", -490) in entries(refund)
        assert refund["spec"]["amount_minor"] == 8510

    def test_it_is_approved_by_itself_and_handed_in_with_a_label(self, shop: Shop) -> None:
        refund = looked_at(self.order(shop).refund(units(LAMP=1)))
        assert (refund.state, refund.way_back) == ("awaiting_return", "drop_off")

    def test_what_is_not_his_fault_costs_him_nothing(self, shop: Shop) -> None:
        refund = self.order(shop).refund(units(LAMP=1) | {"reason": "not_as_described"})
        assert refund["spec"]["amount_minor"] == 10000

    def test_of_all_that_is_left_the_excluded_stays_out(self, shop: Shop) -> None:
        preview = self.order(shop).preview({"lines": "all"}).body
        assert [(one["id"], one["why_not"]) for one in preview["left_out"]] == [("CREAM", "excluded")]
