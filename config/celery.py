"""The Celery app. Celery only executes: its messages carry no keys, and losing one costs latency."""

import logging
import os
from logging.config import dictConfig
from typing import Any

from celery import Celery
from celery.signals import setup_logging
from django.conf import settings

from config import broker

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# Django's checks read every page of the console: a third of a worker's start. `manage.py check` makes them.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")
broker.install()

app = Celery("refundry")
app.config_from_object("django.conf:settings", namespace="CELERY")
# Read under this very name (celery/fixups/django.py): a worker keeps its database connection between tasks.
# A pump closes one that has gone bad by itself.
app.conf["CELERY_DB_REUSE_MAX"] = 1_000_000_000
app.autodiscover_tasks(["workers"])


@setup_logging.connect
def use_our_logging(loglevel: int, **_: Any) -> None:
    """Celery's processes log as all others do; `--loglevel` still counts."""
    dictConfig(settings.LOGGING)
    logging.getLogger().setLevel(loglevel)
