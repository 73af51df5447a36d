"""Dead letters: listed for those whose they are, and sent again by a person's word."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from orders import clock
from orders.models import Channel
from orders.roles import KEY_ROLES, Role
from refunds.models import WebhookDelivery, WebhookEndpoint
from refunds.services.hooks import dead_letters
from tests.fingerprint import fingerprint
from tests.integration.hooks.hooked import URL, declare, owed
from tests.integration.refunds_api import rows
from tests.integration.refunds_api.clients import Caller

pytestmark = pytest.mark.django_db
RUN = {Role.SHOP, Role.SUPERVISOR}


def dead(count: int = 1, *, channel: Channel | None = None) -> list[WebhookDelivery]:
    found = owed(count, channel=channel)
    WebhookDelivery.objects.filter(pk__in=[row.pk for row in found]).update(
        state="dead", attempt=10, failures=10, last_error="http_500: no", next_reconcile_at=None, ended_at=clock.now()
    )
    return found


def states(*found: WebhookDelivery) -> list[str]:
    return [WebhookDelivery.objects.get(pk=row.pk).state for row in found]


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("webhooks", *arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def shop() -> Caller:
    return Caller(rows.default_channel())


def test_they_are_listed_with_why_they_were_given_up(shop: Caller) -> None:
    ((one,), _) = dead(), owed()
    [shown] = shop.get("/webhook-deliveries?state=dead").body["items"]
    assert (shown["id"], shown["state"], shown["url"]) == (one.pk, "dead", URL)
    assert (shown["failures"], shown["attempts"], shown["last_error"]) == (10, 10, "http_500: no")
    assert (shown["event"], shown["webhook_id"]) == (f"{one.refund.number}.1", f"msg_{one.refund.number}_1")
    assert (shown["type"], shown["channel"]) == ("refund.requested", "default")
    assert shown["next_attempt_at"] is None and shown["ended_at"]


def test_pages_join_without_gap_or_repeat(shop: Caller) -> None:
    found = owed(5)
    seen, path = [], "/webhook-deliveries?limit=2"
    while True:
        page = shop.get(path).body
        seen += [item["id"] for item in page["items"]]
        if page["next_cursor"] is None:
            break
        path = f"/webhook-deliveries?limit=2&cursor={page['next_cursor']}"
    assert seen == [row.pk for row in reversed(found)]


def test_one_is_sent_again_from_the_beginning_of_the_schedule(shop: Caller) -> None:
    (row,) = dead()
    answered = shop.post(f"/webhook-deliveries/{row.pk}/retry")
    assert (answered.status, answered.body["state"], answered.body["failures"]) == (200, "pending", 0)
    assert answered.body["next_attempt_at"] and answered.body["ended_at"] is None
    again = shop.post(f"/webhook-deliveries/{row.pk}/retry")
    assert (again.status, again.code) == (409, "not_dead")


@pytest.mark.parametrize("column", ["disabled_at", "removed_at"])
def test_an_address_that_is_called_no_more_keeps_its_dead_letters(column: str, shop: Caller) -> None:
    (row,) = dead()
    WebhookEndpoint.objects.update(**{column: clock.now()})
    before = fingerprint()
    assert shop.post(f"/webhook-deliveries/{row.pk}/retry").code == "endpoint_closed"
    assert run("retry", "--dead", "--channel", "default") == "0 are sent again.\n"
    assert fingerprint() == before
    declare(rows.default_channel(), {"url": URL, "secret": "env:HOOK_SECRET", "types": []})
    assert shop.post(f"/webhook-deliveries/{row.pk}/retry").status == 200


@pytest.mark.parametrize("role", KEY_ROLES)
def test_the_shop_and_supervisors_may(role: Role) -> None:
    (row,) = dead()
    caller, before = Caller(rows.default_channel(), role=role), fingerprint()
    listed, retried = caller.get("/webhook-deliveries"), caller.post(f"/webhook-deliveries/{row.pk}/retry")
    assert [listed.status, retried.status] == ([200, 200] if role in RUN else [403, 403])
    if role not in RUN:
        assert listed.code == retried.code == "role_forbidden" and fingerprint() == before


def test_those_of_other_channels_are_not_there(shop: Caller) -> None:
    (foreign,) = dead(channel=rows.a_channel())
    assert shop.get("/webhook-deliveries").body["items"] == []
    assert shop.post(f"/webhook-deliveries/{foreign.pk}/retry").code == "webhook_delivery_not_found"
    assert shop.post("/webhook-deliveries/999999/retry").status == 404


@pytest.mark.parametrize("state", ["gone", "DEAD", "dead,pending"])
def test_a_state_that_is_none_is_refused(state: str, shop: Caller) -> None:
    assert shop.get(f"/webhook-deliveries?state={state}").code == "bad_parameter"


def test_the_command_lists_and_sends_again() -> None:
    assert run("list") == "Dead letters:        <none>\n"
    first, second = dead(2)
    (foreign,) = dead(channel=rows.a_channel())
    listed = run("list", "--channel", "default")
    assert (
        f"{first.refund.number}.1" in listed and "http_500: no" in listed and f"{foreign.refund.number}.1" not in listed
    )
    assert f"{foreign.refund.number}.1" in run("list")
    assert run("retry", str(first.pk)) == f"{first.pk} is sent again.\n"
    assert states(first, second, foreign) == ["pending", "dead", "dead"]
    with pytest.raises(CommandError, match="not a dead letter"):
        run("retry", str(first.pk))


def test_all_of_a_channel_are_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dead_letters, "BATCH", 2)
    found, foreign = dead(5), dead(channel=rows.a_channel())
    assert run("retry", "--dead", "--channel", "default") == "5 are sent again.\n"
    assert states(*found, *foreign) == ["pending"] * 5 + ["dead"]


@pytest.mark.parametrize(
    "wrong", [["retry"], ["retry", "--dead"], ["retry", "1", "--channel", "default"], ["retry", "1", "--dead"]]
)
def test_the_command_is_told_which(wrong: list[str]) -> None:
    with pytest.raises(CommandError, match="Say which"):
        run(*wrong)


def test_what_is_not_there_is_said() -> None:
    with pytest.raises(CommandError, match="no channel"):
        run("list", "--channel", "nowhere")
    with pytest.raises(CommandError, match="no webhook delivery"):
        run("retry", "999999")
