"""Which methods an address takes that is no door of the API: it is read, unless its place among the addresses says
more. `config.methods` sees to it."""

from collections.abc import Callable
from typing import Any

View = Callable[..., Any]

READS = ("GET", "HEAD")


def takes_form(view: View) -> View:
    """It is read, and a form is sent to it."""
    view.methods = (*READS, "POST")  # type: ignore[attr-defined]
    return view


def any_method(view: View) -> View:
    """It answers for itself whatever the method is."""
    view.methods = None  # type: ignore[attr-defined]
    return view


def methods_of(view: View) -> tuple[str, ...] | None:
    """None: the view sees to it, as the doors of the API do."""
    return None if hasattr(view, "cls") else getattr(view, "methods", READS)
