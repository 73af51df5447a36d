"""What machines ask the web process: is it alive, may it get traffic, and how is the installation."""

import ipaddress
import secrets
from urllib.parse import urlsplit

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse

from orders.registry import registry
from workers.metrics import CONTENT_TYPE, scrape


def alive(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"status": "ok"})


def ready(request: HttpRequest) -> JsonResponse:
    """200 when the database answers, every migration is applied, and this process knows the channels; Redis is a hint
    and not asked."""
    reason = _why_not_ready()
    return JsonResponse({"status": reason or "ok"}, status=503 if reason else 200)


def metrics(request: HttpRequest) -> HttpResponse:
    """For Prometheus, and for whoever has its token; the same from every web process."""
    if not _may_scrape(request):
        refusal = "Set METRICS_TOKEN, and bring it: Authorization: Bearer TOKEN\n"
        return HttpResponse(refusal, status=401, content_type="text/plain", headers={"WWW-Authenticate": "Bearer"})
    return HttpResponse(scrape(), content_type=CONTENT_TYPE)


def _why_not_ready() -> str:
    try:
        executor = MigrationExecutor(connection)
    except (OperationalError, InterfaceError):
        return "database unreachable"
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        return "migrations pending"
    return "" if registry.is_loaded else "channels not loaded"


def _may_scrape(request: HttpRequest) -> bool:
    """Without a token: only from this machine to an installation that is nowhere else. Behind a proxy everybody comes
    from this machine, but then BASE_URL is the proxy's."""
    if settings.METRICS_TOKEN:
        told = request.headers.get("authorization", "")
        return secrets.compare_digest(told.encode(), f"Bearer {settings.METRICS_TOKEN}".encode())
    return _is_loopback(request.META.get("REMOTE_ADDR", "")) and _is_loopback(urlsplit(settings.BASE_URL).hostname)


def _is_loopback(host: str | None) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return False
