"""The demo shop's table, and others of its kind: orders in the words of PUT /orders/{number}, and what became of them.

Pure. `demo.toml` says what each field means.
"""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

DEMO_SHOP = Path(__file__).with_name("demo.toml")
ACCOUNT = "sandbox"
#: What a row says beside the order itself.
_OURS = ("number", "about", "customer", "paid", "gateway", "steps")


@dataclass(frozen=True, slots=True)
class DemoOrder:
    """`facts` are a body of PUT /orders/{number}; `about` is by language; `gateway`: a script per payment."""

    number: str
    facts: dict[str, Any]
    about: dict[str, str] = field(default_factory=dict)
    gateway: tuple[list[Any], ...] = ()
    steps: tuple[str, ...] = ()

    @property
    def payments(self) -> list[str]:
        """The references of its payments, in order."""
        return [payment["reference"] for payment in self.facts["payments"]]


def read_orders(table: Path, *, prefix: str = "") -> list[DemoOrder]:
    """The orders of a table, each number with the prefix before it."""
    told = tomllib.loads(table.read_text(encoding="utf-8"))
    return [_order(row, told["customers"], prefix) for row in told["orders"]]


def _order(row: dict[str, Any], customers: dict[str, Any], prefix: str) -> DemoOrder:
    number = prefix + row["number"]
    stated = {name: value for name, value in row.items() if name not in _OURS}
    facts = {"payments": _payments(number, row.get("paid", ())), **customers[row["customer"]], **stated}
    gateway, steps = tuple(row.get("gateway", ())), tuple(row.get("steps", ()))
    return DemoOrder(number, facts, row["about"], gateway, steps)


def _payments(number: str, paid: list[int]) -> list[dict[str, Any]]:
    """One for each amount: the first has the order's own name, those after it are counted."""
    names = [f"pay-{number.lower()}", *(f"pay-{number.lower()}-{n}" for n in range(2, len(paid) + 1))]
    return [
        {"gateway": ACCOUNT, "reference": name, "captured_minor": amount}
        for name, amount in zip(names, paid, strict=False)
    ]
