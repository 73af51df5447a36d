"""Celery's Redis transport, mended: a worker outlives the loss of its broker (seen with Celery and kombu 5.7.0).

The worker closes the lost connection, and kombu then reaches for Redis through it: at once, to put back messages that
nobody has acknowledged, and again when a task that was running ends and is acknowledged. Both end the worker with
"AttributeError: 'NoneType' object has no attribute 'hostname'". Our messages carry no keys, so they may get lost; one
that is still in Redis comes again after the visibility time-out. Of its pool's processes `config.prefork` tells.
"""

from typing import Any

from celery.concurrency import ALIASES
from kombu.transport import TRANSPORT_ALIASES, redis


class Channel(redis.Channel):
    do_restore = False

    def basic_ack(self, delivery_tag: Any, multiple: bool = False) -> None:
        if not self.closed:
            super().basic_ack(delivery_tag, multiple)

    def basic_reject(self, delivery_tag: Any, requeue: bool = False) -> None:
        if not self.closed:
            super().basic_reject(delivery_tag, requeue)


class Transport(redis.Transport):
    Channel = Channel


def install() -> None:
    """For every redis:// and rediss:// broker of this process, and for its pool, whatever the broker is."""
    for scheme in ("redis", "rediss"):
        TRANSPORT_ALIASES[scheme] = f"{__name__}:Transport"
    ALIASES["prefork"] = "config.prefork:TaskPool"
