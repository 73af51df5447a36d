"""No clock of a machine decides anything: business time is PostgreSQL's, the queue's is Redis's, budgets are monotonic.

So a worker whose clock is wrong does no harm. Two may look at it: Celery judges by it how old a message is, and a
signature tells when it was made.
"""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("config", "orders", "refunds", "workers")
#: The peers of development: outside parties, with clocks of their own.
PEERS = ROOT / "workers" / "local"
WALL_CLOCKS = {"time.time", "time.time_ns", "datetime.now", "datetime.utcnow", "datetime.today", "date.today",
               "timezone.now", "timezone.localdate"}  # fmt: skip
SIGNERS = {
    ROOT / "workers" / "adapters" / name
    for name in ("signed_http.py", "http_gateway.py", "http_courier.py", "webhook_sender.py")
}
SOURCES = [
    path for part in PRODUCT for path in sorted((ROOT / part).rglob("*.py"))
    if PEERS not in path.parents and path not in SIGNERS and "migrations" not in path.parts
]  # fmt: skip


@pytest.mark.parametrize("part", PRODUCT)
def test_no_wall_clock_is_read(part: str):
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno} {ast.unparse(node)}"
        for path in SOURCES
        if (ROOT / part) in path.parents
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and ".".join(ast.unparse(node).rsplit(".", 2)[-2:]) in WALL_CLOCKS
    ]
    assert found == []
