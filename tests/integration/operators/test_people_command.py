"""Letting people, and shops' servers, in at the machine."""

import io
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from orders.clock import now
from orders.errors import Forbidden
from orders.models import Channel, Principal
from orders.roles import SYSTEM, Actor, Role
from refunds.services.joining import Newcomer, join
from refunds.services.leaving import leave

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"


def run(*arguments: str, typed: str = "", monkeypatch: pytest.MonkeyPatch | None = None) -> str:
    if monkeypatch:
        monkeypatch.setattr("sys.stdin", io.StringIO(f"{typed}\n"))
    out = io.StringIO()
    call_command("people", *arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue().strip()


def status(key: str, channel: str = "") -> int:
    return Client().get(f"/api/v1/refunds{channel}", headers={"Authorization": f"Bearer {key}"}).status_code


def test_a_shop_s_server_gets_in_by_the_key_that_is_printed() -> None:
    key = run("add", "Fashion", "--role", "shop", "--channel", "default")
    assert status(key) == 200
    principal = Principal.objects.get(name="Fashion")
    assert (principal.role, principal.user) == ("shop", None)
    assert f"{principal.pk} Fashion (shop), default: 0 open cases" in run("list")
    another = run("key", str(principal.pk))
    assert another != key and status(another) == 200


@pytest.mark.parametrize("name", ["Ада Ли", 'O\'Neil, "Ann"', "علی\u200cرضا", "👩\u200d💻"])
def test_a_name_is_whatever_people_are_called(name: str) -> None:
    run("add", name, "--role", "support", "--channel", "default")
    assert Principal.objects.filter(name=name).count() == 1


def test_a_channel_of_an_earlier_life_is_listed_as_gone() -> None:
    tea = Channel.objects.create(slug="tea", name="Tea")
    for name, channels in (("Both", ["tea", "default"]), ("Old", ["tea"])):
        run("add", name, "--role", "support", *(word for slug in channels for word in ("--channel", slug)))
    Channel.objects.filter(pk=tea.pk).update(closing_at=now(), retired_at=now())
    Channel.objects.create(slug="tea", name="Tea again")
    run("add", "New", "--role", "support", "--channel", "tea")
    listed = {line.split()[1]: line for line in run("list").splitlines()}
    assert "Both (support), default, tea (gone): 0 open cases" in listed["Both"]
    assert "Old (support), tea (gone): 0" in listed["Old"] and "New (support), tea: 0" in listed["New"]


def test_a_person_logs_in_to_the_console(monkeypatch: pytest.MonkeyPatch) -> None:
    Channel.objects.create(slug="other", name="Other")
    channels = ["--channel", "default", "--channel", "other"]
    run("add", "Grace", "--role", "support", *channels, "--username", "grace", typed=PASSWORD, monkeypatch=monkeypatch)
    assert Principal.objects.get(name="Grace").channels.count() == 2
    assert Client().login(username="grace", password=PASSWORD)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["add", "X", "--role", "shop", "--channel", "nowhere"], "There is no channel nowhere: declare it first."),
        (["add", " ", "--role", "shop", "--channel", "default"], "1 to 200 characters"),
        *(
            (["add", f"a{odd}b", "--role", "shop", "--channel", "default"], "none of them a control character")
            for odd in ("\n", "\r", "\t", "\x1b[31m", "\x7f", "\x9b", "\u2028", "\u202e", "\udcff")
        ),
        (["key", "999999"], "There is nobody of that number here."),
    ],
)
def test_what_cannot_be_is_said_and_nobody_is_let_in(arguments: list[str], said: str) -> None:
    before = Principal.objects.count()
    with pytest.raises(CommandError, match=said):
        run(*arguments)
    assert Principal.objects.count() == before


@pytest.mark.parametrize(
    ("username", "password", "said"), [("weak", "12345", "too short"), ("taken", PASSWORD, "user taken already")]
)
def test_a_weak_password_and_a_taken_name_let_nobody_in(
    username: str, password: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(
        "add",
        "T",
        "--role",
        "support",
        "--channel",
        "default",
        "--username",
        "taken",
        typed=PASSWORD,
        monkeypatch=monkeypatch,
    )
    before: Any = Principal.objects.count()
    with pytest.raises(CommandError, match=said):
        run(
            "add",
            "W",
            "--role",
            "support",
            "--channel",
            "default",
            "--username",
            username,
            typed=password,
            monkeypatch=monkeypatch,
        )
    assert Principal.objects.count() == before


def test_who_has_left_gets_no_key_and_only_who_runs_people_lets_in() -> None:
    key = run("add", "Fashion", "--role", "shop", "--channel", "default")
    principal = Principal.objects.get(name="Fashion")
    leave(principal.pk, channels=None, actor=SYSTEM)
    assert status(key) == 401
    with pytest.raises(CommandError, match="has left"):
        run("key", str(principal.pk))
    with pytest.raises(Forbidden):
        join(Newcomer("X", Role.SHOP, ["default"]), actor=Actor("principal:1", Role.SUPPORT))
