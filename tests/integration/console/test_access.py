"""Who gets in, and what he sees: his role and channels decide, Django's permissions never."""

import pytest
import redis
from django.core.cache import cache
from django.test import Client, override_settings

from orders.models import Channel, Principal
from orders.roles import KEY_ROLES, Role
from refunds.models import Refund
from tests.factories import make_order, request
from tests.integration.console.people import PASSWORD, Person
from tests.integration.refunds_api import returns

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_client")]
UNKNOWN = ("nowhere", "refunds/RF-999999/", "refunds/%00/", "orders/999999/", "auth/user/", "refunds/refund/add/")
PAGES = ("", "refunds/", "orders/", "incidents/", "password/")


@pytest.fixture
def refund() -> Refund:
    return returns.in_review()


def foreign() -> Channel:
    return Channel.objects.create(slug="other", name="Other")


@pytest.mark.parametrize("role", KEY_ROLES)
def test_every_role_with_a_user_gets_in_and_reads(role, refund) -> None:
    person = Person(role, is_in=False)
    assert person.log_in().headers["Location"] == "/console/"
    assert [person.get(path).status for path in PAGES] == [200] * len(PAGES)
    assert refund.order.customer_email in person.case(refund)


@pytest.mark.parametrize("path", [*PAGES, "refunds/RF-1/", "refunds/RF-1/approve/", "orders/1/", "nowhere"])
def test_nobody_sees_anything_before_he_logs_in(path) -> None:
    page = Person(Role.SUPPORT, is_in=False).get(path)
    assert (page.status, page.headers["Location"]) == (302, f"/console/login/?next=/console/{path}")


def test_a_wrong_password_opens_nothing() -> None:
    person = Person(Role.SUPPORT, is_in=False)
    assert person.log_in("wrong").status == 200 and person.get("").status == 302


def test_a_user_without_a_principal_is_told_so() -> None:
    nobody = Person(None, is_in=False)
    nobody.user.is_staff = nobody.user.is_superuser = True
    nobody.user.save()
    assert "This user has no role in Refundry." in nobody.log_in()
    nobody.client.force_login(nobody.user)
    assert nobody.get("refunds/").status == 302
    assert "a user without a role in Refundry" in nobody.get("login/")


def test_one_whose_principal_is_taken_away_is_out_at_once(refund) -> None:
    person = Person(Role.SUPPORT)
    assert person.case(refund).status == 200
    Principal.objects.filter(user=person.user).update(user=None)
    assert person.case(refund).status == 302
    assert person.act(refund, "reject", reason="No.").status == 403
    assert Refund.objects.get(pk=refund.pk).state == "in_review"


@pytest.mark.parametrize("path", ["refunds", "refunds/?q=x", "orders/1", "refunds/RF-1", "refunds/RF-1/approve"])
def test_an_address_that_lacks_its_slash_leads_on(path) -> None:
    base, question, query = path.partition("?")
    whole = f"/console/{base.rstrip('/')}/{question}{query}"
    assert Person(Role.SUPPORT).get(path.replace("/?", "?")).headers["Location"] == whole


def test_the_console_itself_is_found_without_its_slash() -> None:
    assert Client().get("/console").headers["Location"] == "/console/"


def test_a_refund_is_found_by_its_number_in_small_letters(refund) -> None:
    assert refund.number in Person(Role.SUPPORT).get(f"refunds/{refund.number.lower()}/")


def test_what_was_typed_is_not_lost_to_a_login(refund) -> None:
    person = Person(Role.SUPPORT)
    form = person.form(refund, "reject", reason="The seal is broken.")
    person.client.logout()
    page = person.act(refund, "reject", **form)
    assert page.status == 403 and "You are logged out" in page and "The seal is broken." in page
    back = f"/console/refunds/{refund.number}/reject/"
    assert f'href="{back}"' in page.html
    assert person.client.get(back).headers["Location"] == f"/console/login/?next={back}"


def test_a_form_from_before_a_login_keeps_what_was_typed_too(refund) -> None:
    person = Person(Role.SUPPORT)
    person.client = Client(enforce_csrf_checks=True)
    person.client.force_login(person.user)
    page = person.act(refund, "reject", reason="<b>The seal is broken.")
    assert page.status == 403 and "&lt;b&gt;The seal is broken." in page.html
    assert "Somebody has logged in or out with this browser" in page
    assert Refund.objects.get(pk=refund.pk).state == "in_review"


@pytest.mark.parametrize("password", ["horse", "password1", "gracehopper1"])
def test_a_password_that_is_guessed_at_once_is_not_taken(password) -> None:
    person = Person(Role.SUPPORT, name="gracehopper")
    said = {"old_password": PASSWORD, "new_password1": password, "new_password2": password}
    assert person.post("password/", said).status == 200
    person.user.refresh_from_db()
    assert person.user.check_password(PASSWORD)


def test_a_foreign_channel_is_not_there(refund) -> None:
    outsider = Person(Role.SUPERVISOR, foreign())
    assert outsider.case(refund).status == outsider.get(f"orders/{refund.order_id}/").status == 404
    for path in ("refunds/", "orders/", "incidents/"):
        page = outsider.get(path)
        assert refund.number not in page.html and refund.order.number not in page.html
    assert refund.number not in outsider.get("refunds/", q=refund.order.number).html
    assert outsider.act(refund, "reject", reason="No.").status == 404
    assert Refund.objects.get(pk=refund.pk).state == "in_review"


def test_several_channels_are_seen_together(refund) -> None:
    other = foreign()
    [theirs] = request(make_order(channel=other)).refunds
    page = Person(Role.AUDITOR, refund.order.channel, other).get("refunds/")
    assert refund.number in page and theirs.number in page


def test_unknown_addresses_are_a_page_of_the_console() -> None:
    person = Person(Role.SUPPORT)
    for path in (
        "nowhere",
        "refunds/RF-999999/",
        "refunds/%00/",
        "orders/999999/",
        "auth/user/",
        "refunds/refund/add/",
    ):
        page = person.get(path)
        assert page.status == 404 and "Log out" in page, path


def test_tries_are_counted_by_user_name() -> None:
    person = Person(Role.SUPPORT, is_in=False)
    assert {person.log_in("wrong").status for _ in range(10)} == {200}
    refused = person.log_in(PASSWORD)
    assert refused.status == 429 and int(refused.headers["Retry-After"]) > 0 and "Too many tries" in refused
    assert Person(Role.SUPPORT, name="ada", is_in=False).log_in().status == 302


def test_tries_are_counted_by_address() -> None:
    person = Person(Role.SUPPORT, is_in=False)
    statuses = [
        person.client.post("/console/login/", {"username": f"u{n}", "password": "x"}).status_code for n in range(61)
    ]
    assert statuses[-1] == 429 and set(statuses[:-1]) == {200}


def test_the_name_is_one_however_it_is_written() -> None:
    person = Person(Role.SUPPORT, is_in=False)
    for n in range(10):
        name = ("GRACE", " grace", "grace\u3000", "\uff47race", "grace")[n % 5]
        person.client.post("/console/login/", {"username": name, "password": "wrong"})
    assert person.log_in().status == 429


def test_without_redis_nobody_is_let_in_uncounted_and_who_is_in_works_on(refund) -> None:
    outside, inside = Person(Role.SUPPORT, is_in=False), Person(Role.SUPPORT, name="ada")
    away = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": "redis://127.0.0.1:1/0"}}
    with override_settings(CACHES=away):
        with pytest.raises(redis.exceptions.ConnectionError):
            cache.get("x")
        refused = outside.log_in()
        assert (refused.status, refused.headers["Retry-After"]) == (503, "5")
        assert outside.get("login/").status == 200
        assert inside.case(refund).status == 200
        assert inside.act(refund, "reject", reason="No.").status == 302


def test_only_the_console_relaxes_what_pages_may_load() -> None:
    person = Person(Role.SUPPORT)
    for path in ("", "login/", "password/"):
        policy = (
            Person(Role.SUPPORT, name=f"p{path[:2]}", is_in=False).get(path) if path == "login/" else person.get(path)
        )
        assert "script-src 'self' 'unsafe-eval'" in policy.headers["Content-Security-Policy"]
        assert "'unsafe-inline'" not in policy.headers["Content-Security-Policy"].partition("style-src")[0]
    assert "unsafe" not in person.client.get("/api/v1/docs").headers["Content-Security-Policy"]


def test_a_form_of_another_site_is_refused(refund) -> None:
    person = Person(Role.SUPPORT)
    person.client.handler.enforce_csrf_checks = True
    assert person.act(refund, "reject", reason="No.").status == 403
    assert Refund.objects.get(pk=refund.pk).state == "in_review"


def test_the_password_is_changed_here() -> None:
    person = Person(Role.AUDITOR)
    said = {"old_password": PASSWORD, "new_password1": "battery staple 9", "new_password2": "battery staple 9"}
    assert person.post("password/", said).headers["Location"] == "/console/password/done/"
    assert person.get("password/done/").status == 200
    person.client.logout()
    assert person.log_in("battery staple 9").headers["Location"] == "/console/"


def test_the_language_is_switched_and_kept() -> None:
    person = Person(Role.SUPPORT)
    assert person.post("language/", {"language": "zh-hans", "next": "/console/"}).status == 302
    assert "工作台" in person.get("") and "未分配" in person.get("")
