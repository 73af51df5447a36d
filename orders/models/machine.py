"""How a transition table becomes FSM methods, and the CHECK that holds a state column to its enum."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from django.db import models
from django_fsm import FSMField, transition

from orders.states import Arrow


def arrow(field: FSMField, arrows: Iterable[Arrow], verb: str) -> Any:
    """The FSM method `verb`, which changes the state and nothing else; its sources and target are the table's."""
    found = next(one for one in arrows if one.verb == verb)

    def move(self: models.Model) -> None:
        pass

    move.__name__ = move.__qualname__ = verb
    return transition(field=field, source=list(found.sources), target=found.target)(move)


def state_field(states: type[StrEnum], default: StrEnum) -> FSMField:
    return FSMField(max_length=24, choices=[(s.value, s.value) for s in states], default=default.value, protected=True)


def state_check(column: str, states: type[StrEnum], *, name: str) -> models.CheckConstraint:
    """Protection in Python does not stop `update()` or raw SQL; this does."""
    return models.CheckConstraint(condition=models.Q(**{f"{column}__in": [s.value for s in states]}), name=name)
