"""What is logged, and how: to stderr, one line per record; finished syncs as JSON in any case."""

import json
import logging
import re
from datetime import UTC, datetime
from typing import Any

_JSON = json.JSONEncoder(ensure_ascii=False, default=str)
_CUSTOMER_LINK = re.compile(r"/r/[^/\s]+")


class JsonFormatter(logging.Formatter):
    """One JSON object per line. A record whose `lines` are given is that many lines, each with its own members."""

    def format(self, record: logging.LogRecord) -> str:
        head: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "pid": record.process,
            "message": record.getMessage(),
        }
        if record.exc_info:
            head["exception"] = self.formatException(record.exc_info)
        return "\n".join(_JSON.encode({**head, **members}) for members in getattr(record, "lines", [{}]))


class WithoutLinks(logging.Filter):
    """Whoever has a customer's link may act as the customer: no log holds one."""

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        if "/r/" in message:
            record.msg, record.args = _CUSTOMER_LINK.sub("/r/...", message), None
        return True


def logging_config(form: str) -> dict[str, Any]:
    """For `logging.config.dictConfig`; `form` is text or json."""
    handler = {"class": "logging.StreamHandler", "filters": ["without_links"]}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"without_links": {"()": WithoutLinks}},
        "formatters": {
            "text": {"format": "%(asctime)s %(levelname)s %(process)d %(name)s: %(message)s"},
            "json": {"()": JsonFormatter},
        },
        "handlers": {"console": {**handler, "formatter": form}, "syncs": {**handler, "formatter": "json"}},
        "root": {"handlers": ["console"], "level": "INFO"},
        "loggers": {
            "refundry.reconcile": {"handlers": ["syncs"], "level": "INFO", "propagate": False},
            "django": {"handlers": [], "level": "INFO", "propagate": True},
            "django.request": {"level": "ERROR"},
            # A line each time that a second has passed tells nothing.
            "celery.app.trace": {"level": "WARNING"},
            "celery.worker.strategy": {"level": "WARNING"},
        },
    }
