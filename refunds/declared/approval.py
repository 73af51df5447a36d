"""Whether a policy that loosens a rule has been agreed to: the table of what its approval says. Pure.

As Kubernetes' API approval (`api-approved.kubernetes.io`), in this order: nothing, then "unapproved", then an address.
Here a person stands behind the word as well: he is not the one who applied it, and his word is for one generation.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from refunds.conditions import FALSE, TRUE, UNKNOWN, Condition
from refunds.declared.reading import is_text

TYPE = "ApprovalConformant"
UNAPPROVED = "unapproved"
#: Reasons of an approval that is still to be given.
UNAGREED = ("Missing", "Invalid", "Unknown")


@dataclass(frozen=True, slots=True)
class Word:
    """What was said: the address of the record of the approval, or "unapproved" and why. `by` whom, of which spec."""

    said: str
    by: str
    generation: int


def judge(word: Word | None, *, is_protected: bool, generation: int, applied_by: str) -> Condition | None:
    """None where nobody has to agree. True, or Bypassed, lets the policy come into force (`opens`)."""
    if not is_protected:
        return None
    try:
        return _judge(word, generation, applied_by)
    except Exception as error:  # noqa: BLE001 - a word that cannot be judged is no approval
        return Condition(TYPE, UNKNOWN, "Unknown", f"The approval could not be judged: {error}")


def opens(condition: Condition | None) -> bool:
    """Whether what was applied may come into force."""
    return condition is None or condition.reason in ("Approved", "Bypassed")


def is_awaited(conditions: Iterable[Mapping[str, Any]], generation: int) -> bool:
    """What was found of this generation waits for a second person."""
    said = next((c for c in conditions if c["type"] == TYPE), None)
    return said is not None and said["observed_generation"] == generation and said["reason"] in UNAGREED


def _judge(word: Word | None, generation: int, applied_by: str) -> Condition:
    if word is None or not word.said:
        return Condition(TYPE, FALSE, "Missing", "It loosens a rule: a second person has to approve it.")
    if word.generation != generation:
        detail = f"It was said of generation {word.generation}; this is {generation}: approve it anew."
        return Condition(TYPE, FALSE, "Missing", detail)
    if is_bypass(word.said):
        return Condition(TYPE, FALSE, "Bypassed", f"{word.by} let it pass: {word.said}")
    if not _is_address(word.said):
        return Condition(
            TYPE, FALSE, "Invalid", f"{word.said[:100]!r} is neither an address nor begins with unapproved."
        )
    if word.by == applied_by:
        return Condition(TYPE, FALSE, "Invalid", f"{word.by} has applied it: another person has to approve it.")
    return Condition(TYPE, TRUE, "Approved", f"{word.by}: {word.said}")


def is_record(said: str) -> bool:
    """It can be noted as somebody's word: an address, or a bypass with its why."""
    try:
        return is_text(said) and (is_bypass(said) or _is_address(said))
    except ValueError:
        return False


def is_bypass(said: str) -> bool:
    """It says that nobody has approved it, and why it is let pass."""
    return said.startswith(UNAPPROVED) and bool(said.removeprefix(UNAPPROVED).strip(" \t:,.;-"))


def _is_address(said: str) -> bool:
    """It can be followed to a record. Raises ValueError for what looks like one and is none: `https://[::1`."""
    parts = urlsplit(said)
    return parts.scheme in ("http", "https") and bool(parts.hostname)
