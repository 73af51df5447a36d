"""One poison key must not take its batch down: a batch that raises is repeated item by item."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

logger = logging.getLogger(__name__)

Item = TypeVar("Item")
Result = TypeVar("Result")

# So many single items in a row that meet a database error say that the database is away.
DATABASE_IS_AWAY_AFTER = 2


@dataclass(frozen=True, slots=True)
class Part(Generic[Item, Result]):
    """Some items of the batch, with their result or the error they raised."""

    items: Sequence[Item]
    result: Result | None = None
    error: Exception | None = None


class Isolation:
    """Runs batches. `database_errors` are nobody's fault; `reset_database` drops a broken connection."""

    def __init__(self, database_errors: tuple[type[Exception], ...], reset_database: Callable[[], None]) -> None:
        self.database_errors = database_errors
        self._reset_database = reset_database

    def run(self, items: Sequence[Item], work: Callable[[Sequence[Item]], Result]) -> list[Part[Item, Result]]:
        """The whole batch at once if it goes well, else each item by itself."""
        whole = self._attempt(items, work)
        if whole.error is None or len(items) == 1:
            return [whole]
        return self._one_by_one(items, work)

    def is_database_error(self, error: BaseException | None) -> bool:
        return isinstance(error, self.database_errors)

    def _one_by_one(self, items: Sequence[Item], work: Callable[[Sequence[Item]], Result]) -> list[Part[Item, Result]]:
        parts: list[Part[Item, Result]] = []
        away = 0
        for position, item in enumerate(items):
            part = self._attempt([item], work)
            parts.append(part)
            away = away + 1 if self.is_database_error(part.error) else 0
            if away == DATABASE_IS_AWAY_AFTER:
                rest = items[position + 1 :]
                return parts + ([Part(rest, error=part.error)] if rest else [])
        return parts

    def _attempt(self, items: Sequence[Item], work: Callable[[Sequence[Item]], Result]) -> Part[Item, Result]:
        try:
            return Part(items, result=work(items))
        except self.database_errors as error:
            logger.warning("the database failed a batch of %d: %s", len(items), error)
            self._reset_database()
            return Part(items, error=error)
        except Exception as error:
            logger.exception("a batch of %d raised", len(items))
            return Part(items, error=error)
