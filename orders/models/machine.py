"""How a transition table becomes FSM methods, and the CHECK that holds a state column to its enum."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from django.db import models
from django_fsm import FSMField, transition

from orders.states import Arrow


class StateField(FSMField):
    """A state that is read very often: from the row at once, unless the field was left out of the query."""

    def get_state(self, instance: models.Model) -> Any:
        try:
            return instance.__dict__[self.attname]
        except KeyError:
            return super().get_state(instance)

    def deconstruct(self) -> Any:
        """In the database it is no other field."""
        name, _, args, kwargs = super().deconstruct()
        return name, "django_fsm.FSMField", args, kwargs


def arrow(field: FSMField, arrows: Iterable[Arrow], verb: str) -> Any:
    """The FSM method `verb`, which changes the state and nothing else; its sources and target are the table's."""
    found = next(one for one in arrows if one.verb == verb)

    def move(self: models.Model) -> None:
        pass

    move.__name__ = move.__qualname__ = verb
    return transition(field=field, source=list(found.sources), target=found.target)(move)


def state_field(states: type[StrEnum], default: StrEnum) -> StateField:
    choices = [(s.value, s.value) for s in states]
    return StateField(max_length=24, choices=choices, default=default.value, protected=True)


def state_check(column: str, states: type[StrEnum], *, name: str) -> models.CheckConstraint:
    """Protection in Python does not stop `update()` or raw SQL; this does."""
    return models.CheckConstraint(condition=models.Q(**{f"{column}__in": [s.value for s in states]}), name=name)
