"""Who declares at the machine, and how he names what he means."""

import getpass
import re

from django.core.management.base import CommandError, CommandParser

from orders.roles import Actor, Role
from refunds.declared.envelope import KINDS, kind_named
from refunds.management.arguments import Each, Once
from refunds.services.manifests.applying import Declarer

SUBJECT = "KIND/NAME"
OUTPUTS = ("table", "yaml", "json")
_NAME = re.compile(r"[A-Za-z0-9._@-]{1,50}", re.ASCII)


def operator(name: str | None = None) -> Declarer:
    """The one of this name, else the one who is logged in; he is bound to no channel. CommandError."""
    name = name if name is not None else _logged_in()
    if not _NAME.fullmatch(name):
        raise CommandError(f"{name!r} is no name of a person: 1 to 50 letters, digits, dots, hyphens, _ and @.")
    return Declarer(Actor(f"operator:{name}", Role.SYSTEM))


def kind_of(word: str) -> str:
    """CommandError where there is no such kind."""
    kind = kind_named(word)
    if kind is None:
        raise CommandError(f"{word} is no kind. There are: {', '.join(KINDS)}.")
    return kind


def subject(text: str) -> tuple[str, str]:
    """The kind and the name of `refundpolicy/fresh`. CommandError."""
    word, _, name = text.partition("/")
    if not name:
        raise CommandError(f"{text}: say {SUBJECT}, such as refundpolicy/fresh.")
    return kind_of(word), name


def add_subject(parser: CommandParser) -> None:
    parser.add_argument("subject", metavar=SUBJECT, help="such as refundpolicy/fresh or channel/main")


def add_files(parser: CommandParser, *, required: bool = True) -> None:
    parser.add_argument(
        "-f",
        "--filename",
        action=Each,
        default=[],
        dest="files",
        metavar="FILE|-|DIR",
        required=required,
        help="YAML or JSON, with one or several manifests; a folder; - for what is piped in; can be given again",
    )


def add_output(parser: CommandParser) -> None:
    parser.add_argument("-o", "--output", choices=OUTPUTS, default="table", action=Once)


def _logged_in() -> str:
    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        name = "unknown"
    return re.sub("[^A-Za-z0-9._@-]", "_", name)[:50] or "unknown"
