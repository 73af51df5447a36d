"""A Channel as merchants write it: one shop front with its names, its texts, its accounts and its policy. Pure.

A secret is never written here: it is a reference, `env:NAME` or `file:/PATH`, that the processes read for themselves.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from email.utils import parseaddr
from typing import Any
from urllib.parse import urlsplit

from orders.typed import is_mail_address
from refunds.days import is_zone
from refunds.declared.reading import (
    Place,
    Rule,
    Violation,
    any_text,
    group,
    list_of,
    object_name,
    one_of,
    read_rules,
    some_of,
    text_of,
    words_by_name,
)
from refunds.event_types import EVENT_TYPES

KIND = "Channel"
LOCALES = ("en", "zh-hans")
ADAPTERS = ("http", "stripe", "manual")
_REFERENCE = re.compile(r"env:[A-Za-z_][A-Za-z0-9_]{0,99}|file:/[^\0]{1,400}", re.ASCII)
_HOST_AT_THE_END = re.compile(r"[^@]+@[A-Za-z0-9.-]+")
_VISIBLE = re.compile(r"[!-~]+", re.ASCII)
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_HOSTNAME = re.compile(rf"(?=.{{1,253}}$){_LABEL}(?:\.{_LABEL}){{0,9}}", re.ASCII)
_PREFIX = re.compile(r"[A-Z][A-Z0-9]{1,11}", re.ASCII)
_ACCOUNT = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?", re.ASCII)
#: As long as the channel's columns: of a line that people read, and of the name of something else.
_line, _named = text_of(200), text_of(60)


@dataclass(frozen=True, slots=True)
class Account:
    """A gateway account that this channel brings along."""

    name: str
    adapter: str
    base_url: str = ""
    secret: str = ""
    webhook_secret: str = ""


@dataclass(frozen=True, slots=True)
class Webhook:
    """Where the shop is told of its events; `types` empty: of all."""

    url: str
    secret: str
    types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DeclaredChannel:
    """`policy`: for orders that no policy's selector asks for; empty: the built-in one."""

    title: str = ""
    hostnames: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    number_prefix: str = ""
    default_locale: str = "en"
    time_zone: str = "UTC"
    sender: str = ""
    contact: str = ""
    return_address: tuple[tuple[str, str], ...] = ()
    courier: str = ""
    policy: str = ""
    accounts: tuple[Account, ...] = ()
    webhooks: tuple[Webhook, ...] = ()


def _shaped(shape: "re.Pattern[str]", code: str, detail: str) -> Any:
    def read(value: Any, place: Place) -> str:
        if not isinstance(value, str) or not shape.fullmatch(value):
            place.refuse(code, detail)
            return ""
        return value

    return read


def _zone(value: Any, place: Place) -> str:
    if not isinstance(value, str) or not is_zone(value):
        place.refuse("unknown_zone", "An IANA name, such as Europe/Berlin.")
        return "UTC"
    return value


def _origin(value: Any, place: Place) -> str:
    """RFC 6454: scheme, host and port, nothing after them."""
    try:
        parts = urlsplit(value) if isinstance(value, str) else None
        fits = parts is not None and parts.scheme in ("http", "https") and bool(parts.hostname)
        is_bare = fits and parts is not None and value == f"{parts.scheme}://{parts.netloc}" and "@" not in parts.netloc
    except ValueError:
        is_bare = False
    if not is_bare:
        place.refuse("bad_origin", "An origin as https://shop.example, without a path.")
    return str(value)


def _mailbox(value: Any, place: Place) -> str:
    """RFC 5322, one mailbox: `a@b.example`, or with a name before it."""
    said = _line(value, place)
    name, address = parseaddr(said)
    is_whole = said in (address, f"{name} <{address}>", f'"{name}" <{address}>')
    if said.strip() and not (is_whole and _HOST_AT_THE_END.fullmatch(address) and is_mail_address(address)):
        place.refuse("bad_sender", "One address: refunds@shop.example, or Shop <refunds@shop.example>.")
    return said


def _url(value: Any, place: Place) -> str:
    try:
        parts = urlsplit(value) if isinstance(value, str) else None
        is_whole = parts is not None and parts.scheme in ("http", "https") and bool(parts.hostname)
        fits = is_whole and parts is not None and "@" not in parts.netloc and parts.port != 0
    except ValueError:
        fits = False
    if not fits or len(value) > 500 or not _VISIBLE.fullmatch(value):
        place.refuse("bad_url", "An address as https://shop.example/hooks.")
    return str(value)


def _event(value: Any, place: Place) -> str:
    said = any_text(value, place)
    if isinstance(value, str) and said not in EVENT_TYPES:
        [nearest] = get_close_matches(said.lower(), sorted(EVENT_TYPES), 1, 0.0)
        place.refuse("unknown_event", f"There is no such event. The nearest is {nearest}.")
    return said


def _address(value: Any, place: Place) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(words_by_name(value, place).items()))


reference = _shaped(
    _REFERENCE, "secret_not_a_reference", "A reference to it: env:NAME or file:/PATH, never the secret."
)
_hostname = _shaped(_HOSTNAME, "bad_hostname", "A host's name in small letters, such as shop.example.")
_account_name = _shaped(_ACCOUNT, "bad_name", "Small letters, digits and hyphens.")
ACCOUNT = group(
    (
        Rule("name", "name", _account_name),
        Rule("adapter", "adapter", one_of(ADAPTERS)),
        Rule("baseUrl", "base_url", _url),
        Rule("secret", "secret", reference),
        Rule("webhookSecret", "webhook_secret", reference),
    ),
    {"name": "", "adapter": ""},
    Account,
)
#: Without which an adapter can send nothing.
NEEDED: Mapping[str, Sequence[str]] = {"http": ("baseUrl", "secret"), "stripe": ("secret",)}


def _account(value: Any, place: Place) -> Account:
    account: Account = ACCOUNT(value, place)
    for path in NEEDED.get(account.adapter, ()):
        if path not in value:
            place.at(path).refuse("required", "This adapter needs it.")
    return account


WEBHOOK = group(
    (Rule("url", "url", _url), Rule("secret", "secret", reference), Rule("types", "types", some_of(_event))),
    {"url": "", "secret": ""},
    Webhook,
)
RULES = (
    Rule("title", "title", _line),
    Rule("hostnames", "hostnames", list_of(_hostname)),
    Rule("origins", "origins", list_of(_origin)),
    Rule("numberPrefix", "number_prefix", _shaped(_PREFIX, "bad_prefix", "2 to 12 capital letters and digits.")),
    Rule("defaultLocale", "default_locale", one_of(LOCALES)),
    Rule("timeZone", "time_zone", _zone),
    Rule("sender", "sender", _mailbox),
    Rule("contact", "contact", _line),
    Rule("returnAddress", "return_address", _address),
    Rule("courier", "courier", _named),
    Rule("policy", "policy", object_name),
    Rule("accounts", "accounts", list_of(_account)),
    Rule("webhooks", "webhooks", list_of(WEBHOOK)),
)


def read_channel(spec: Mapping[str, Any]) -> tuple[DeclaredChannel | None, list[Violation]]:
    """The channel, or everything about it that cannot be read."""
    place = Place("")
    found = read_rules(spec, RULES, place)
    _refuse_twice("accounts", [account.name for account in found.get("accounts", ())], place)
    _refuse_twice("webhooks", [hook.url for hook in found.get("webhooks", ())], place)
    return (None, place.found) if place.found else (DeclaredChannel(**found), [])


def _refuse_twice(field: str, names: Sequence[str], place: Place) -> None:
    for n, name in enumerate(names):
        if name and name in names[:n]:
            place.at(field).at(n).refuse("twice", f"{name} is there already.")
