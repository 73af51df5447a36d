"""What a run was made on."""

import os
import platform
from collections.abc import Sequence
from importlib.metadata import version

import redis
from django.conf import settings
from django.db import connection


def machine(extras: Sequence[str] = ()) -> str:
    """One line: cores, load before the run, versions."""
    server = redis.Redis.from_url(settings.REDIS_URL).info("server")
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        postgres = cursor.fetchone()[0]
    valkey = server.get("valkey_version") or server["redis_version"]
    packages = ", ".join(f"{name} {version(name.lower())}" for name in ("Django", "Celery", "psycopg", *extras))
    return (
        f"{os.cpu_count()} cores ({platform.machine()}), load {os.getloadavg()[0]:.1f} before; "
        f"Python {platform.python_version()}, {packages}, PostgreSQL {postgres}, Valkey {valkey}"
    )
