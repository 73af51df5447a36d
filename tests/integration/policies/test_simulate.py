"""`manage.py simulate`: past requests decided again by a policy that is not in force, and nothing written."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import CommandError, call_command
from django.db import connection

from orders import clock
from orders.models import Channel, Order, OrderLine, Shipment
from refunds import records
from refunds.declared.policy_rules import read_policy
from refunds.models import Refund
from refunds.services.past_requests import Wanted
from refunds.services.simulation import Replayed, replay
from tests.factories import add_payment, make_order, request, ship
from tests.fingerprint import fingerprint
from tests.integration.policies import declared

pytestmark = pytest.mark.django_db(transaction=True)
FEE = {"selector": {}, "fees": {"restocking": {"perMille": 100}}}
Simulate = Callable[..., str]


@pytest.fixture
def simulate(tmp_path: Path) -> Simulate:
    def run(spec: dict[str, Any], *flags: str, name: str = "new") -> str:
        file, said = tmp_path / "policy.yaml", StringIO()
        manifest = {"apiVersion": "refundry/v1", "kind": "RefundPolicy", "metadata": {"name": name}, "spec": spec}
        file.write_text(yaml.safe_dump(manifest))
        call_command("simulate", "-f", str(file), *flags, stdout=said, stderr=StringIO())
        return said.getvalue()

    return run


def home(*prices: int, days_ago: int = 0, **fields: Any) -> Order:
    """An order that has arrived."""
    order, moved = make_order(*prices, **fields), timedelta(days=days_ago)
    parcel = ship(order)
    at = clock.now() - moved
    Shipment.objects.filter(pk=parcel.pk).update(
        shipped_at=at, delivered_at=at, fact_at=at, created_at=at, delivery_known_at=at
    )
    return order


def asked(order: Order, *lines: tuple[str, int], **fields: Any) -> Refund:
    [refund] = request(order, *lines, **fields).refunds
    return Refund.objects.get(pk=refund.pk)


def replayed(spec: dict[str, Any], *, page: int = 100) -> dict[str, Replayed]:
    policy, _ = read_policy(spec)
    assert policy is not None
    found = replay("new", policy, Wanted(clock.now() - timedelta(days=90)), page=page)
    return {one.number: one for several in found for one in several}


def test_counts_and_money_before_and_after(simulate: Simulate) -> None:
    asked(home(2000))
    asked(home(3000))
    asked(make_order(1000))
    said = simulate(FEE)
    assert "Refunds looked at: 3" in said
    assert "compared: 3, of which would be decided otherwise: 2" in said
    rows = [line.split("  ") for line in said.splitlines()]
    told = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    assert ["amount", "lower", "2", "€50.00", "€45.00"] in told
    assert ["fees", "higher", "2", "€50.00", "€45.00"] in told
    assert ["all compared", "3", "€60.00", "€55.00"] in told


def test_each_refund_is_told_when_asked_for(simulate: Simulate) -> None:
    refund = asked(home(2000))
    assert f"{refund.number}  fees: €0.00 -> €2.00; amount: €20.00 -> €18.00" in simulate(FEE, "--verbose")


def test_orders_of_other_policies_are_left_out(simulate: Simulate) -> None:
    asked(home(2000, labels={"kind": "book"}))
    asked(home(3000))
    said = simulate(FEE | {"selector": {"labels": {"kind": "book"}}})
    assert "of orders that this policy is not for: 1" in said
    assert "compared: 1, of which would be decided otherwise: 1" in said


def test_a_policy_that_another_one_goes_before_decides_nothing(simulate: Simulate) -> None:
    declared.policy("first", selector={}, precedence=5)
    asked(home(2000))
    assert "of orders that this policy is not for: 1" in simulate(FEE)
    assert "decided otherwise: 1" in simulate(FEE | {"precedence": 6})


def test_it_stands_in_the_place_of_what_is_in_force_by_its_name(simulate: Simulate) -> None:
    declared.policy("new", **FEE)
    refund = asked(home(2000))
    assert refund.amount_minor == 1800
    said = simulate(FEE | {"fees": {}}, "--verbose")
    assert f"{refund.number}  fees: €2.00 -> €0.00; amount: €18.00 -> €20.00" in said


def test_only_what_was_asked_for_since(simulate: Simulate) -> None:
    old = asked(home(2000))
    Refund.objects.filter(pk=old.pk).update(created_at=clock.now() - timedelta(days=91))
    assert "Refunds looked at: 0" in simulate(FEE)
    assert "Refunds looked at: 1" in simulate(FEE, "--since", "100d")


def test_one_channel_and_so_many(simulate: Simulate) -> None:
    other = Channel.objects.create(slug="other", name="Other", is_default=False)
    for channel in (other, Channel.objects.get(is_default=True), other):
        asked(home(2000, channel=channel))
    assert "Refunds looked at: 2" in simulate(FEE, "--channel", "other")
    assert "Refunds looked at: 1" in simulate(FEE, "--channel", "other", "--limit", "1")


def test_progress_is_told_apart_from_the_result(tmp_path: Path) -> None:
    asked(home(2000))
    file, progress = tmp_path / "policy.yaml", StringIO()
    manifest = {"apiVersion": "refundry/v1", "kind": "RefundPolicy", "metadata": {"name": "new"}, "spec": FEE}
    file.write_text(yaml.safe_dump(manifest))
    call_command("simulate", "-f", str(file), stdout=StringIO(), stderr=progress)
    assert progress.getvalue() == "1 of 1 refunds (100 %)\n"


@pytest.mark.parametrize(
    ("spec", "flags", "detail"),
    [
        ({"windw": {}}, (), "spec.windw: There is no such field"),
        ({"window": {"faultDays": 3}}, (), "window.faultDays: Without window.days"),
        (FEE, ("--channel", "nowhere"), "There is no channel nowhere"),
    ],
)
def test_what_is_wrong_is_told(simulate: Simulate, spec: dict[str, Any], flags: tuple[str, ...], detail: str) -> None:
    with pytest.raises(CommandError, match=detail):
        simulate(spec, *flags)


def test_nothing_is_written(simulate: Simulate) -> None:
    asked(home(2000))
    before = fingerprint()
    simulate(FEE)
    assert fingerprint() == before


def test_it_could_not_even_write(simulate: Simulate, monkeypatch: pytest.MonkeyPatch) -> None:
    asked(home(2000))
    modes = []

    def spying(*_: Any) -> Iterator[list[Replayed]]:
        with connection.cursor() as cursor:
            cursor.execute("SHOW transaction_read_only")
            modes.append(cursor.fetchone()[0])
        yield from ()

    monkeypatch.setattr("refunds.management.commands.simulate.replay", spying)
    simulate(FEE)
    assert modes == ["on"]


def test_the_statements_do_not_grow_with_the_page() -> None:
    counts = []
    for _ in range(2):
        for _ in range(3):
            asked(home(2000, 500))
        with records.counted() as statements, counted_orm() as others:
            replayed(FEE)
        counts.append((len(statements), len(others)))
    assert counts[0] == counts[1]


@contextmanager
def counted_orm() -> Iterator[list[str]]:
    found: list[str] = []

    def note(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        found.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        yield found


def test_pages_follow_each_other_without_a_gap() -> None:
    numbers = [asked(home(2000)).number for _ in range(5)]
    assert list(replayed(FEE, page=2)) == numbers


def test_a_window_is_judged_by_when_the_goods_arrived() -> None:
    late, early = asked(home(2000, days_ago=9)), asked(home(2000, days_ago=3))
    found = replayed({"selector": {}, "window": {"days": 7}})
    assert [d.would for d in found[late.number].compared.differences] == ["no: the window is over"]  # type: ignore[union-attr]
    assert found[early.number].compared.differences == ()  # type: ignore[union-attr]


def test_what_earlier_refunds_took_is_taken_first() -> None:
    """The last unit brings the shipping back, whatever has happened to the order since."""
    order = home(1001, quantity=3, shipping_minor=500)
    add_payment(order, 500)
    several = [asked(order, ("A", 1)) for _ in range(3)]
    found = replayed(FEE)
    assert [found[one.number].compared.was.amount_minor for one in several] == [  # type: ignore[union-attr]
        one.amount_minor for one in several
    ]


def test_an_order_that_has_changed_since_is_not_compared(simulate: Simulate) -> None:
    order = home(2000)
    refund = asked(order)
    OrderLine.objects.filter(order=order).update(list_minor=5000)
    said = simulate(FEE, "--verbose")
    assert f"{refund.number}  not comparable: its order has changed since" in said
    assert "not comparable, its order has changed since: 1" in said


def test_a_refund_that_has_followed_another_version_is_compared_with_its_first(simulate: Simulate) -> None:
    """What the customer was shown stays of the version that he asked under."""
    declared.policy("new", **FEE)
    refund = asked(home(2000))
    row = declared.policy("new", **(FEE | {"fees": {"restocking": {"perMille": 150}}}))
    assert Refund.objects.get(pk=refund.pk).policy_version.generation == row.generation == 2
    said = simulate(FEE, "--verbose")
    assert "compared: 1, of which would be decided otherwise: 0" in said


def test_a_request_that_went_two_ways_is_two_refunds() -> None:
    order = make_order(1000, quantity=2)
    parcel = ship(order)
    parcel.lines.update(quantity=1)
    OrderLine.objects.filter(order=order).update(shipped=1, delivered=1)
    refunds = request(order).refunds
    assert len(refunds) == 2
    found = replayed(FEE)
    assert [one.compared is not None for one in found.values()] == [True, True]
