"""What a gateway tells of a refund besides its state: for the books, and free of whatever nobody may keep. Pure."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import Any

REMOVED = "[removed]"
#: Of the raw answer: how deep, how many entries of one object or list, how long a text, and how much in all is kept.
_DEEPEST, _MOST, _LONGEST_TEXT, _MOST_CHARACTERS = 3, 30, 100, 4000
#: Of a fact of its own, and of the name of a part of the answer.
_LONGEST_FACT, _LONGEST_NAME = 100, 40
#: What is written of a person, and what opens doors, whatever stands in it.
_PRIVATE = re.compile(
    r"name|holder|benefi|payer|payee|debtor|creditor|custom|mail|phone|mobile|address|street|city|postal|zip|birth|"
    r"billing|shipping|owner|person|\bip\b|_ip|device|secret|token|passw|authori|signature|credential|api_?key|"
    r"private|cvc|cvv|\bpan\b|iban|account_?(no|number)|card_?(no|number)|fingerprint|expir|exp_|receipt_url|descri|note",
    re.IGNORECASE,
)
#: Ids, words of a machine and times; free text may be about somebody.
_TOKEN = re.compile(r"[A-Za-z0-9_.:+/-]+", re.ASCII)
_CARD = re.compile(r"(?<!\d)\d(?:[ -]?\d){11,18}(?!\d)")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b")
_SECRET = re.compile(r"^(sk|rk|pk|whsec|Bearer|Basic)[_ ]|_secret_", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Receipt:
    """For the books, each as far as the gateway tells it; times are the gateway's, aware.

    `receiving_account`: where the money went, as the gateway names it ("card ending 0403"). `bank_reference`: by which
    the customer's bank finds it, a card's acquirer reference number (ARN) or the like. `settled_minor` of
    `settled_currency` is what the refund took from the shop's account, `fee_minor` of the same what the gateway kept.
    `raw` is its answer, redacted.
    """

    accepted_at: datetime | None = None
    succeeded_at: datetime | None = None
    receiving_account: str = ""
    bank_reference: str = ""
    settled_minor: int | None = None
    settled_currency: str = ""
    fee_minor: int | None = None
    raw: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def to_json(self) -> dict[str, Any]:
        """What is told, and nothing else."""
        told = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: _plain(value) for name, value in told.items() if value not in (None, "", {})}


def receipt_from(stored: Mapping[str, Any]) -> Receipt:
    """As `to_json` wrote it."""
    times = {name: datetime.fromisoformat(stored[name]) for name in ("accepted_at", "succeeded_at") if name in stored}
    return Receipt(**{**stored, **times})


def masked(account: str) -> str:
    """A name for a receiving account that gives none away: of a long number only its last four digits are kept."""
    for long_number in (_IBAN, _CARD):
        account = long_number.sub(lambda found: f"ending {found[0].replace(' ', '')[-4:]}", account)
    return " ".join(account.split())[:_LONGEST_FACT]


def reference(text: str) -> str:
    """A bank's reference; empty for what is none."""
    return text if _TOKEN.fullmatch(text) and len(text) <= _LONGEST_FACT else ""


def redacted(answer: Mapping[str, Any]) -> dict[str, Any]:
    """The answer without what is private, secret, or too much: of one that is too long only its own plain values."""
    kept: dict[str, Any] = _kept(answer, _DEEPEST)
    if len(json.dumps(kept)) <= _MOST_CHARACTERS:
        return kept
    return {name: REMOVED if isinstance(value, dict | list) else value for name, value in kept.items()}


def _kept(value: Any, depth: int) -> Any:
    if isinstance(value, Mapping):
        return {name[:_LONGEST_NAME]: _entry(name, value[name], depth) for name in [*map(str, value)][:_MOST]}
    if isinstance(value, list):
        return [_kept(each, depth - 1) if depth else REMOVED for each in value[:_MOST]]
    if isinstance(value, str):
        return _text(value)
    is_plain = value is None or isinstance(value, bool | int)
    return value if is_plain and not _is_card(str(value)) else REMOVED


def _entry(name: str, value: Any, depth: int) -> Any:
    if _PRIVATE.search(name) or not depth:
        return REMOVED if value not in (None, "") else value
    return _kept(value, depth - 1)


def _text(value: str) -> str:
    is_machine_word = not value or (_TOKEN.fullmatch(value) and len(value) <= _LONGEST_TEXT)
    return value if is_machine_word and not (_is_card(value) or _is_secret(value)) else REMOVED


def _is_card(text: str) -> bool:
    return bool(_IBAN.search(text)) or any(_adds_up(found[0]) for found in _CARD.finditer(text))


def _adds_up(number: str) -> bool:
    """By the check digit that every card number has (ISO/IEC 7812, Luhn)."""
    digits = [int(digit) for digit in number if digit.isdigit()][::-1]
    return sum(digits[::2] + [sum(divmod(2 * digit, 10)) for digit in digits[1::2]]) % 10 == 0


def _is_secret(text: str) -> bool:
    return bool(_SECRET.search(text))


def _plain(value: Any) -> Any:
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value
