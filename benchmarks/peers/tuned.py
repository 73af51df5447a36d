"""The Celery app of the tuned chain: a task for the refund, a task for its messages.

Tuned: database connections are kept (`CELERY_DB_REUSE_MAX`), no results, tasks are fetched ahead, and a line is
logged only for what goes wrong. Late acknowledgement stays on, for a refund must not be lost with its worker.
"""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("tuned", set_as_current=False)
app.config_from_object("django.conf:settings", namespace="CELERY")
# A queue of its own: the product stands beside it.
app.conf.update(
    CELERY_DB_REUSE_MAX=1_000_000,
    worker_prefetch_multiplier=32,
    worker_disable_rate_limits=True,
    task_default_queue="tuned",
)
app.autodiscover_tasks(["benchmarks.peers"], related_name="tuned_tasks")
