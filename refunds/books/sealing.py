"""A day's close: what there was, what happened, what there is; and the seal over it. Pure.

The seal is a SHA-256 over the seal before it, the day's bounds, each of its entries and its balances, so that a change
anywhere shows in every later seal.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from refunds.books.lines import Entry, sealed

Effects = Mapping[str, Sequence[tuple[str, int]]]
#: By (account, currency).
Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Sealed:
    """`sum_minor` adds up the amounts of all kinds and currencies: a control total, and no money. `balances` is a list
    of {account, currency, opening, movements {kind: {count, amount_minor}}, closing}, by account and currency."""

    entries: int
    sum_minor: int
    balances: list[dict[str, Any]]
    hash: str


def anchor(channel_id: int) -> str:
    """What the first close of a channel is linked to."""
    return hashlib.sha256(f"books of channel {channel_id}".encode()).hexdigest()


def seal(
    entries: Iterable[Entry],
    *,
    previous_hash: str,
    bounds: Sequence[Any],
    opening: Sequence[Mapping[str, Any]],
    effects: Effects,
) -> Sealed:
    """Read the day's entries once, in their order. `opening` is the balances of the close before; `effects`: what an
    entry of a kind does to the sums of its account."""
    digest = hashlib.sha256(previous_hash.encode() + b"\n" + _json(bounds))
    amounts: Counter[tuple[str, str, str]] = Counter()
    counts: Counter[tuple[str, str, str]] = Counter()
    for entry in entries:
        digest.update(sealed(entry))
        amounts[entry.account, entry.currency, entry.kind] += entry.amount_minor
        counts[entry.account, entry.currency, entry.kind] += 1
    balances = _balances(opening, amounts, counts, effects)
    digest.update(_json(balances))
    return Sealed(counts.total(), amounts.total(), balances, digest.hexdigest())


def _balances(
    opening: Sequence[Mapping[str, Any]],
    amounts: Mapping[tuple[str, str, str], int],
    counts: Mapping[tuple[str, str, str], int],
    effects: Effects,
) -> list[dict[str, Any]]:
    before: dict[Key, Mapping[str, int]] = {(b["account"], b["currency"]): b["closing"] for b in opening}
    keys = sorted({(account, currency) for account, currency, _ in amounts} | before.keys())
    return [
        _balance(
            key,
            before.get(key, {}),
            {kind: (counts[(*key, kind)], amounts[(*key, kind)]) for *of, kind in sorted(amounts) if (*of,) == key},
            effects,
        )
        for key in keys
    ]


def _balance(
    key: Key, before: Mapping[str, int], moved: Mapping[str, tuple[int, int]], effects: Effects
) -> dict[str, Any]:
    """A sum that nothing has touched yet is left out, so that a kind which is new later changes no older day."""
    touched = sorted(before.keys() | {column for kind in moved for column, _ in effects[kind]})
    opening = {column: before.get(column, 0) for column in touched}
    closing = dict(opening)
    for kind, (_, amount_minor) in moved.items():
        for column, sign in effects[kind]:
            closing[column] += sign * amount_minor
    movements = {kind: {"count": count, "amount_minor": amount} for kind, (count, amount) in moved.items()}
    return {"account": key[0], "currency": key[1], "opening": opening, "movements": movements, "closing": closing}


def _json(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
