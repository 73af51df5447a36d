"""The front page: the way in to a demo, where one is loaded; else where things are."""

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.views.decorators.cache import never_cache

from orders.models import Order

LANGUAGES = {code: name for code, name in settings.LANGUAGES}


@never_cache
def front(request: HttpRequest) -> HttpResponse:
    """In the language of `?lang=`, else of the browser."""
    language = request.GET.get("lang", "")
    with translation.override(language if language in LANGUAGES else translation.get_language()):
        return render(request, "front.html", {"demo": _demo(), "languages": settings.LANGUAGES})


def _demo() -> dict[str, Any] | None:
    """What the demo's file tells. Its keys and passwords are shown to whoever asks: only where DEMO_FILE is set."""
    if not settings.DEMO_FILE:
        return None
    try:
        told = json.loads(Path(settings.DEMO_FILE).read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return None
    ready = _played(list(told["links"]))
    return {
        **told,
        "password": {user["role"]: user for user in told["console"]},
        "key": told["keys"]["shop"][0],
        "orders": [_shown(order, told["links"]) for order in told["orders"]],
        "ready": ready,
        "is_complete": ready == len(told["orders"]),
        "first": told["links"]["DEMO-EUR-1"],
        "delivered": told["links"]["DEMO-CNY-1"],
    }


def _shown(order: dict[str, Any], links: dict[str, str]) -> dict[str, str]:
    is_chinese = (translation.get_language() or "").startswith("zh")
    about = order["about"]["zh" if is_chinese else "en"]
    return {"number": order["number"], "about": about, "link": links[order["number"]]}


def _played(numbers: list[str]) -> int:
    """How many orders have come to where the demo wants them."""
    return Order.objects.filter(channel__is_default=True, number__in=numbers, labels__demo="ready").count()
