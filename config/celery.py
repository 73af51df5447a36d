"""The Celery app. Celery only executes: its messages carry no keys, and losing one costs latency."""

import os

from celery import Celery

from config import broker

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
broker.install()

app = Celery("refundry")
app.config_from_object("django.conf:settings", namespace="CELERY")
# Read under this very name (celery/fixups/django.py): a worker keeps its database connection between tasks.
# A pump closes one that has gone bad by itself.
app.conf["CELERY_DB_REUSE_MAX"] = 1_000_000_000
app.autodiscover_tasks(["workers"])
