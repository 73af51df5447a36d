"""Commands whose words move no terminal and turn no line round, whatever is told of in them."""

import re
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand, OutputWrapper

from orders.typed import BIDI_CONTROLS

#: Line ends and tabs stay. In YAML and JSON these are quoted, and there too an escape stands for what it was.
_MOVES = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff{BIDI_CONTROLS}]")


class PlainCommand(BaseCommand):
    """It writes control characters, those of direction too, as `\\u001b`."""

    def execute(self, *args: Any, **options: Any) -> Any:
        self.stdout = _Plain(options.pop("stdout", None) or self.stdout._out)
        self.stderr = _Plain(options.pop("stderr", None) or self.stderr._out, self.style.ERROR)
        return super().execute(*args, **options)


class _Plain(OutputWrapper):
    def __init__(self, out: Any, style_func: Callable[[str], str] | None = None) -> None:
        super().__init__(out)
        self.style_func = style_func

    def write(self, msg: str = "", style_func: Any = None, ending: Any = None) -> None:  # type: ignore[override]
        super().write(_MOVES.sub(_escaped, msg), style_func, ending)


def _escaped(found: "re.Match[str]") -> str:
    return f"\\u{ord(found[0]):04x}"
