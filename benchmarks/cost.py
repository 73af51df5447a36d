"""CPU of processes and all their descendants, those that have ended included."""

from collections.abc import Mapping

import psutil


def cpu_seconds(roots: Mapping[str, list[int]]) -> dict[str, float]:
    """User and system seconds until now, per name, of the trees under these pids."""
    return {name: sum(_tree_seconds(pid) for pid in pids) for name, pids in roots.items()}


def _tree_seconds(pid: int) -> float:
    root = psutil.Process(pid)
    return sum(_own_seconds(process) for process in (root, *root.children(recursive=True)))


def _own_seconds(process: psutil.Process) -> float:
    """With what its reaped children have used; nothing when it has just ended, for then its parent counts it."""
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return times.user + times.system + times.children_user + times.children_system
