"""Settings of the chain on procrastinate: the tuned chain's, with procrastinate's Django application.

Its own care for connections respects their age, so they are kept for good.
"""

import logging

from benchmarks.peers.tuned_settings import *  # noqa: F403
from benchmarks.peers.tuned_settings import DATABASES, INSTALLED_APPS, LOGGING


class QuietOnceStarted(logging.Filter):
    """Says that a worker has started, and no line for each of its jobs."""

    def filter(self, record: logging.LogRecord) -> bool:
        logging.getLogger(record.name).setLevel(logging.WARNING)
        return True


DATABASES["default"]["CONN_MAX_AGE"] = None
INSTALLED_APPS = [*INSTALLED_APPS, "procrastinate.contrib.django"]
PROCRASTINATE_IMPORT_PATHS = ["benchmarks.peers.procrastinate_tasks"]
LOGGING["filters"]["once"] = {"()": QuietOnceStarted}
LOGGING["loggers"] |= {
    "procrastinate": {"level": "WARNING"},
    "procrastinate.worker.worker": {"level": "INFO", "filters": ["once"]},
}
