"""Words, numbers, spans and times on the command line: what is none, or what nobody can mean, is told in one line."""

import re
from argparse import Action, ArgumentError, ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from refunds.declared.reading import SECONDS, Place, seconds

#: The largest id, and the largest generation, that there can be.
MOST_ID, MOST_GENERATION = 2**63 - 1, 2**31 - 1
#: As long as anybody can look back.
MOST_DAYS = 36_500
_DIGITS = re.compile("[0-9]{1,19}", re.ASCII)
_SHOWN = 40


def some_text(text: str) -> str:
    """One that says something: an empty one is a variable of the shell that is not set."""
    if not text.strip():
        raise ArgumentTypeError("there is nothing in it")
    return text


def a_path(text: str) -> Path:
    return Path(some_text(text))


class Once(Action):
    """An option with one value: of two none is taken silently, and an empty one is none."""

    is_given = False

    def __call__(self, parser: ArgumentParser, namespace: Namespace, values: Any, option_string: Any = None) -> None:
        if self.is_given:
            raise ArgumentError(self, "it is given twice")
        self.is_given = True
        setattr(namespace, self.dest, _said(self, values))


class Each(Action):
    """An option that can be given several times: the list of its values, none of them empty."""

    def __call__(self, parser: ArgumentParser, namespace: Namespace, values: Any, option_string: Any = None) -> None:
        setattr(namespace, self.dest, [*(getattr(namespace, self.dest) or ()), _said(self, values)])


def _said(option: Action, value: Any) -> Any:
    try:
        return some_text(value) if isinstance(value, str) else value
    except ArgumentTypeError as nothing:
        raise ArgumentError(option, str(nothing)) from None


def a_whole(most: int) -> Callable[[str], int]:
    """A whole number from 1 to `most`."""

    def read(text: str) -> int:
        number = int(text) if _DIGITS.fullmatch(text) else 0
        if not 1 <= number <= most:
            raise ArgumentTypeError(f"{_shown(text)} is no whole number from 1 to {most}")
        return number

    return read


def a_span(text: str) -> timedelta:
    """As in a manifest, `90d`; of some length, and not back before there were dates."""
    place = Place("")
    span = seconds(text, place)
    if place.found or not 1 <= span <= MOST_DAYS * SECONDS["d"]:
        raise ArgumentTypeError(f"{_shown(text)} is no span from 1s to {MOST_DAYS}d, such as 48h or 90d")
    return timedelta(seconds=span)


def a_day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{_shown(text)} is no day such as 2026-11-30") from None


def a_moment(text: str) -> datetime:
    """With its offset: a time without one is another moment for every reader."""
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            raise ValueError("no offset")
        return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ArgumentTypeError(f"{_shown(text)} is no time such as 2026-11-30T12:00:00Z") from None


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")
