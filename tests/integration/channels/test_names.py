"""Reserving names on real rows: who holds, who lost, and who takes over."""

import threading
from typing import Any

import pytest
from django.db import connection

from refunds.models import HeldName, Manifest
from refunds.services import manifest_wakes
from tests.integration.channels.manifests import declare, holds, look, look_at_what_goes, remove, said, served

pytestmark = pytest.mark.django_db(transaction=True)
CHANNELS = 6


def test_the_loser_goes_on_with_what_is_free_and_gets_the_rest_when_the_holder_lets_go() -> None:
    """Check 69. TestNameConflict"""
    declare("books", hostnames=["shop.example"], numberPrefix="FH")
    loser = declare("fashion", hostnames=["shop.example"], numberPrefix="FA")
    assert said(loser, "NamesAccepted") == ("False", "HostnameConflict")
    assert holds(loser) == {"name": ["fashion"], "numberPrefix": ["FA"]}
    assert served("fashion").hostnames == []
    declare("books", hostnames=["books.example"], numberPrefix="FH")
    winner = look("fashion")
    assert said(winner, "NamesAccepted") == ("True", "NoConflicts")
    assert served("fashion").hostnames == ["shop.example"]


def test_one_that_cannot_be_read_any_more_says_so_and_is_served_on_as_it_was() -> None:
    """It was declared before a limit was drawn: nothing raises, and nothing that it has is taken away."""
    declare("books", title="Books", hostnames=["books.example"])
    Manifest.objects.update(spec={"title": "x" * 201, "hostnames": []}, generation=2)
    odd = look("books")
    assert said(odd, "RulesViolation") == ("True", "Violations")
    assert said(odd, "Ready") == ("False", "NotReady")
    assert "spec.title: At most 200 characters." in [c["message"] for c in odd.conditions]
    assert (holds(odd)["hostnames"], served("books").name) == (["books.example"], "Books")


def test_it_is_woken_when_the_holder_lets_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check 69: in seconds, not with the next look. TestNameConflict"""
    woken: list[int] = []
    declare("books", hostnames=["shop.example"])
    loser = declare("fashion", hostnames=["shop.example"])
    monkeypatch.setattr(manifest_wakes, "wake_manifests", woken.extend)
    declare("books", hostnames=[])
    assert woken == [loser.pk]


def test_a_channel_that_is_removed_lets_go_of_all_its_names() -> None:
    """Check 69. TestNameConflict"""
    declare("books", hostnames=["shop.example"], numberPrefix="FH")
    loser = declare("fashion", hostnames=["shop.example"], numberPrefix="FH")
    assert said(loser, "NamesAccepted") == ("False", "HostnameConflict")
    remove("books")
    assert look_at_what_goes("books")
    assert holds(look("fashion")) == {"name": ["fashion"], "hostnames": ["shop.example"], "numberPrefix": ["FH"]}


def test_names_that_were_had_are_served_on_while_new_ones_conflict() -> None:
    declare("books", hostnames=["books.example"])
    declare("fashion", hostnames=["fashion.example"])
    changed = declare("fashion", hostnames=["fashion.example", "books.example"], contact="new@fashion.example")
    assert said(changed, "NamesAccepted") == ("False", "HostnameConflict")
    assert (served("fashion").hostnames, served("fashion").contact) == (["fashion.example"], "new@fashion.example")


def declared_at_once(slugs: list[str], **spec: Any) -> list[BaseException]:
    """Each by a thread of its own; what was raised."""
    barrier, odd = threading.Barrier(len(slugs)), list[BaseException]()

    def want(slug: str) -> None:
        try:
            barrier.wait()
            declare(slug, **spec)
        except BaseException as error:  # noqa: BLE001 - told by the test
            odd.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=want, args=[slug]) for slug in slugs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return odd


def test_of_many_that_want_one_name_at_once_one_has_it_and_all_others_are_told_who() -> None:
    """Check 70: and each believes what it has written. TestMutationCacheOnAddOrUpdate"""
    slugs = [f"shop-{n}" for n in range(CHANNELS)]
    for slug in slugs:
        declare(slug)
    assert declared_at_once(slugs, hostnames=["one.example"], numberPrefix="ONE") == []
    rows = {row.name: row for row in Manifest.objects.filter(name__in=slugs)}
    [(winner,)] = set(HeldName.objects.filter(value="one.example").values_list("manifest__name"))
    [(prefixed,)] = set(HeldName.objects.filter(value="ONE").values_list("manifest__name"))
    for slug, row in rows.items():
        assert (holds(row).get("hostnames") == ["one.example"]) == (slug == winner)
        assert (holds(row).get("numberPrefix") == ["ONE"]) == (slug == prefixed)
        is_whole = slug == winner == prefixed
        assert said(row, "NamesAccepted")[0] == ("True" if is_whole else "False")
        assert served(slug).hostnames == (["one.example"] if slug == winner else [])
    losers = [row for slug, row in rows.items() if slug not in (winner, prefixed)]
    assert all(f"one.example is held by {winner}" in str(row.conditions) for row in losers)


def test_in_a_tight_loop_a_name_is_had_or_not_and_never_twice() -> None:
    """Check 70: a channel that takes and lets go again and again sees its own writes. TestMutationCacheOnAddOrUpdate"""
    for n in range(10):
        wants = ["one.example"] if n % 2 else []
        row = declare("fashion", hostnames=wants, numberPrefix=f"F{n}")
        assert said(row, "NamesAccepted") == ("True", "NoConflicts")
        assert holds(row) == {"name": ["fashion"], "numberPrefix": [f"F{n}"]} | ({"hostnames": wants} if wants else {})
        assert HeldName.objects.filter(scope="numberPrefix").count() == 1


@pytest.mark.parametrize("kind", ["GATEWAY_ACCOUNTS", "COURIER_ACCOUNTS"])
def test_an_account_of_the_installation_s_is_no_channel_s(settings: Any, kind: str) -> None:
    setattr(settings, kind, {"bank": {"adapter": "manual"}})
    row = declare("fashion", accounts=[{"name": "bank", "adapter": "manual"}])
    assert said(row, "NamesAccepted") == ("False", "AccountConflict")
    assert "bank is held by the installation" in str(row.conditions)
    assert served("fashion").accounts == []


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "refunds.example"])
def test_a_host_of_the_installation_s_is_no_channel_s(settings: Any, host: str) -> None:
    """The links of all shops lead there."""
    settings.BASE_URL = "https://refunds.example:8443"
    loser = declare("books", hostnames=[host])
    assert said(loser, "NamesAccepted") == ("False", "HostnameConflict")
    assert served("books").hostnames == []
