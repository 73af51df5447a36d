"""Keeping a web process's registry of channels fresh: one thread that reads it from PostgreSQL again and again.

It begins with the process that serves: in each child of a server that forks (`gunicorn --preload`), else soon after the
application was loaded. A process that forks serves nobody itself, and reads nothing. It ends with its process.
"""

import atexit
import logging
import os
import socket
import threading
from datetime import datetime

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection

from orders import clock
from refunds.services.manifests import serving

logger = logging.getLogger(__name__)
#: So long after loading the application it forks, if it does.
FORKS_WITHIN_SECONDS = 0.5
ENDS_WITHIN_SECONDS = 2.0


class Poll:
    """Loads, tells what it has loaded, and waits; the database may be away meanwhile."""

    def __init__(self, *, every: float) -> None:
        self._every = every
        self._ends = threading.Event()
        self._name = ""
        self._started_at: datetime | None = None
        self._thread: threading.Thread | None = None

    def start(self, *, wait: float = 0.0) -> None:
        self._thread = threading.Thread(target=self._run, args=[wait], name="registry", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends after the round that is under way; the process is forgotten at once."""
        self._ends.set()
        if self._thread:
            self._thread.join(timeout=ENDS_WITHIN_SECONDS)

    def _run(self, wait: float) -> None:
        is_away = False
        while not self._ends.wait(wait):
            wait = self._every
            try:
                self._once()
                is_away = False
            except Exception as odd:
                if not is_away:
                    is_known = isinstance(odd, OperationalError | InterfaceError)
                    logger.warning("channels cannot be read: %s; those it has are served", odd, exc_info=not is_known)
                is_away = True
                connection.close()
        self._leave()

    def _once(self) -> None:
        if self._started_at is None:
            self._started_at = clock.now()
            self._name = f"{socket.gethostname()[:60]}:{os.getpid()}:{self._started_at:%Y%m%dT%H%M%S.%f}"
        serving.load_registry()
        serving.be_heard(self._name, started_at=self._started_at)

    def _leave(self) -> None:
        try:
            if self._name:
                serving.be_forgotten(self._name)
        except Exception:
            logger.exception("it is forgotten in a minute all the same")
        finally:
            connection.close()


def serve_channels() -> None:
    """Call it once, when the application has been loaded."""
    poll = _begin(wait=FORKS_WITHIN_SECONDS)
    os.register_at_fork(before=poll.stop, after_in_child=_begin)


def _begin(wait: float = 0.0) -> Poll:
    """A process that ends as it should holds up no channel until it counts as lost."""
    poll = Poll(every=settings.REGISTRY_SECONDS)
    poll.start(wait=wait)
    atexit.register(poll.stop)
    return poll
