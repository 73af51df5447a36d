"""Two questions a supervisor or load balancer asks: is the process alive, and may it get traffic."""

from django.db import OperationalError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse


def alive(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"status": "ok"})


def ready(request: HttpRequest) -> JsonResponse:
    """200 when the database answers and every migration is applied; Redis is a hint and not asked."""
    reason = _why_not_ready()
    return JsonResponse({"status": reason or "ok"}, status=503 if reason else 200)


def _why_not_ready() -> str:
    try:
        executor = MigrationExecutor(connection)
    except OperationalError:
        return "database unreachable"
    return "migrations pending" if executor.migration_plan(executor.loader.graph.leaf_nodes()) else ""
