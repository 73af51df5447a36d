"""A door of the API is answered without what only browsers need; what a program may rely on is there all the same."""

import pytest
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest
from django.test import Client

from tests.integration.refunds_api import rows
from tests.integration.refunds_api.clients import Caller

pytestmark = pytest.mark.django_db


@pytest.fixture
def shop() -> Caller:
    return Caller(rows.default_channel())


@pytest.mark.parametrize("path", ["/refunds", "/refunds/RF-0"])
def test_an_answer_says_that_it_is_data_and_how_long_it_is(path: str, shop: Caller) -> None:
    answer = Client().get(f"/api/v1{path}", headers={"Authorization": f"Bearer {shop.key}"})
    assert answer.headers["Content-Length"] == str(len(answer.content))
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"


def test_a_host_that_is_not_ours_is_refused(shop: Caller) -> None:
    answer = shop.get("/refunds", Host="elsewhere.example")
    assert (answer.status, answer.code) == (400, "unknown_host")


def test_a_door_has_no_session_and_a_page_has_one(shop: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    begin = SessionMiddleware.process_request

    def noted(self: SessionMiddleware, request: HttpRequest) -> None:
        asked.append(request.path)
        begin(self, request)

    monkeypatch.setattr(SessionMiddleware, "process_request", noted)
    shop.get("/refunds")
    Client().get("/api/v1/none")
    Client().get("/api/v1/openapi.json")
    assert asked == ["/api/v1/none", "/api/v1/openapi.json"]


def test_a_program_is_answered_in_english_whoever_was_answered_before(shop: Caller) -> None:
    Client().get("/", headers={"Accept-Language": "zh-CN"})
    answer = shop.post("/refunds:batch", {}, Accept_Language="zh-CN")
    assert answer.body["detail"] == "refunds: This field is required."
