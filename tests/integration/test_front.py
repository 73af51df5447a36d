"""The front page: the way in to a demo where one is loaded, and nothing secret anywhere else."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.factories import make_order

pytestmark = pytest.mark.django_db

ORDERS = {"DEMO-EUR-1": ("Nothing has left", "尚未发货"), "DEMO-CNY-1": ("Delivered", "已签收")}
ROLES = ("support", "supervisor", "warehouse", "finance", "auditor")
DEMO = {
    "sandbox_url": "http://sandbox",
    "inbox_url": "http://inbox",
    "keys": {"shop": ["key-of-the-shop"]},
    "console": [{"username": role, "password": f"password-of-{role}", "role": role} for role in ROLES],
    "links": {number: f"http://demo/r/{number}" for number in ORDERS},
    "orders": [{"number": number, "about": {"en": en, "zh": zh}} for number, (en, zh) in ORDERS.items()],
}


@pytest.fixture
def demo(tmp_path: Path, settings: Any) -> None:
    """A demo's file, as `make up` writes it."""
    file = tmp_path / "demo.json"
    file.write_text(json.dumps(DEMO))
    settings.DEMO_FILE = str(file)


def shown(language: str = "", **headers: str) -> str:
    answer = Client().get("/", {"lang": language} if language else {}, headers=headers)
    assert answer.status_code == 200
    assert "default-src 'self'" in answer["Content-Security-Policy"]
    return answer.content.decode()


@pytest.mark.usefixtures("demo")
def test_it_leads_to_everybody() -> None:
    page = shown()
    for address in ("http://sandbox", "http://inbox", *DEMO["links"].values(), "/console/", "/api/v1/docs", "/r/"):
        assert f'href="{address}"' in page
    assert all(user["password"] in page for user in DEMO["console"]) and "key-of-the-shop" in page


@pytest.mark.usefixtures("demo")
def test_it_says_how_far_the_shop_is_filled() -> None:
    make_order(number="DEMO-EUR-1", labels={"demo": "ready"})
    assert "1 of 2 orders are ready" in shown()
    make_order(number="DEMO-CNY-1", labels={"demo": "ready"})
    assert "orders are ready" not in shown()


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize("asked", [{"language": "zh-hans"}, {"Accept-Language": "zh-CN,zh;q=0.9"}])
def test_it_speaks_chinese(asked: dict[str, str]) -> None:
    page = shown(**asked)
    assert 'lang="zh-Hans"' in page and "第一笔退款" in page and "尚未发货" in page


@pytest.mark.usefixtures("demo")
def test_an_unknown_language_is_english() -> None:
    assert "Your first refund" in shown("tlh")


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize("file", ["", "/nowhere/demo.json"])
def test_without_a_demo_it_only_says_where_things_are(settings: Any, file: str) -> None:
    settings.DEMO_FILE = file
    page = shown()
    assert "Refundry is running" in page and "/api/v1/docs" in page
    assert "password-of-" not in page and "key-of-the-shop" not in page


@pytest.mark.usefixtures("demo")
def test_it_takes_one_statement_however_many_orders_there_are(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        shown()


def test_it_is_only_read() -> None:
    assert Client().post("/").status_code == 405
