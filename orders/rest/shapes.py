"""Shapes of answers: REST framework's serializers, so that the served schema and the answer are one declaration, with
what gets each field looked up once. Found anew for each answer, field by field, it cost more than the answer."""

from collections.abc import Callable
from functools import cached_property
from operator import attrgetter
from typing import Any, TypeVar

from rest_framework import serializers

Shown = TypeVar("Shown")
Get = Callable[[Any], Any]


class Shape(serializers.Serializer[Shown]):
    """Of objects, whose plain values are taken as they are; `orders.rest.answers` writes them."""

    @cached_property
    def getters(self) -> list[tuple[str, Get]]:
        return [(name, self._getter(field)) for name, field in self.fields.items()]

    def to_representation(self, instance: Shown) -> dict[str, Any]:
        return {name: get(instance) for name, get in self.getters}

    def _getter(self, field: "serializers.Field[Any, Any, Any, Any]") -> Get:
        if isinstance(field, serializers.SerializerMethodField):
            get: Get = getattr(self, field.method_name or "")
            return get
        of = attrgetter(field.source or "")
        if isinstance(field, serializers.ListSerializer):
            show_one = field.child.to_representation  # type: ignore[union-attr]
            return lambda shown: [show_one(one) for one in of(shown)()]
        if isinstance(field, serializers.Serializer):
            show = field.to_representation
            return lambda shown: show(of(shown))
        return of
