"""The only reader of keys. What names nothing ends at once: a key that is no id never becomes one."""

import logging
import re
from collections.abc import Sequence

from workers.contract import TerminalError
from workers.workqueue import Lease, Outcome, terminal

logger = logging.getLogger(__name__)

_CANONICAL = re.compile(r"[1-9][0-9]{0,18}")
_LARGEST_ID = 2**63 - 1


class NoSuchKey(TerminalError):
    """The key is no name of anything this queue is about."""


def row_id(key: str) -> int:
    """The id that the key is. Each row has one key: NoSuchKey for any other way to write its number."""
    if not _CANONICAL.fullmatch(key) or int(key) > _LARGEST_ID:
        raise NoSuchKey(f"{key[:40]!r} is no id")
    return int(key)


def row_ids(leases: Sequence[Lease]) -> tuple[list[int], dict[str, Outcome]]:
    """The ids that are leased, and the outcomes of keys that are none."""
    ids: list[int] = []
    outcomes: dict[str, Outcome] = {}
    for lease in leases:
        try:
            ids.append(row_id(lease.key))
        except NoSuchKey as odd:
            outcomes[lease.key] = nothing(lease, odd)
    return ids, outcomes


def nothing(lease: Lease, why: NoSuchKey) -> Outcome:
    """The end of a key that names nothing: told once, and not looked at again."""
    logger.warning("queue %s: %s", lease.queue, why)
    return terminal(why)
