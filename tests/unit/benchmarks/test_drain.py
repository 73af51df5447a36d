"""The floor is measured as the other contenders are: what proves it is no part of its cost."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks import drain


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was done, in this order; ids count on."""
    done: list[str] = []
    made: list[int] = []

    def clone(seed: object, count: int) -> list[int]:
        ids = list(range(len(made), len(made) + count))
        made.extend(ids)
        return ids

    @contextmanager
    def writers(url: str, clients: int) -> Iterator[Any]:
        yield SimpleNamespace(write=lambda ids, transactions: done.append(f"wrote {len(ids)}") or 1.0)

    def looked(roots: object) -> dict[str, float]:
        done.append("CPU")
        return {"PostgreSQL": 0.0}

    def prove(ids: Sequence[int]) -> None:
        done.append(f"proved {len(set(ids))}")

    for name, stand_in in {"clone": clone, "writers": writers, "cpu_seconds": looked, "prove": prove}.items():
        monkeypatch.setattr(drain, name, stand_in)
    return done


def test_the_floor_is_proved_after_its_cpu_was_looked_at(done: list[str]) -> None:
    product = SimpleNamespace(environment={"DATABASE_URL": ""})
    size = drain.Size(0, rounds=1, seconds=1.0, floor_seconds=2.0, first={"ours": 3})
    ran = drain._floor(SimpleNamespace(product=product, roots=dict), None, size, 1)  # type: ignore[arg-type]
    assert done == ["wrote 3", "CPU", "wrote 6", "CPU", "proved 9"]
    assert (ran.refunds, ran.seconds) == (6, 1.0)
