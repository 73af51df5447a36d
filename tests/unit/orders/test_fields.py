"""A value is what it says or is refused, with the path of where it stands."""

from datetime import UTC, datetime
from typing import Any

import pytest
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from orders.errors import Invalid
from orders.rest import fields
from orders.rest.problems import invalid


class Line(fields.Body):
    sku = fields.Text(max_length=10)
    quantity = fields.Quantity()


class Sample(fields.Body):
    lines = Line(many=True)
    note = fields.Text(required=False, allow_blank=True, lines=True)
    flag = fields.StrictBoolean(required=False)
    at = fields.Timestamp(required=False)
    currency = fields.Currency(required=False)
    labels = fields.JsonObject(required=False)
    kind = fields.Choice(choices=["ship", "none"], required=False)
    price = fields.Amount(required=False, allow_null=True)


SAMPLE = Sample()
GOOD: dict[str, Any] = {"lines": [{"sku": "A", "quantity": 1}]}


def problem_of(body: Any) -> Invalid:
    with pytest.raises(ValidationError) as raised:
        SAMPLE.run_validation(body)
    return invalid(raised.value.detail)


@pytest.mark.parametrize(
    ("body", "field", "code"),
    [
        ({}, "lines", "required"),
        ({"lines": None}, "lines", "null"),
        ({"lines": {}}, "lines", "not_a_list"),
        ({"lines": [1]}, "lines[0]", "invalid"),
        ({"lines": [{"sku": "A", "quantity": 1}, {"sku": "A"}]}, "lines[1].quantity", "required"),
        *(
            ({"lines": [{"sku": "A", "quantity": value}]}, "lines[0].quantity", code)
            for value, code in [
                (0, "too_small"),
                (-1, "too_small"),
                (1.5, "not_integer"),
                (1.0, "not_integer"),
                (1e3, "not_integer"),
                (True, "not_integer"),
                ("1", "not_integer"),
                ("1e3", "not_integer"),
                ([1], "not_integer"),
                (2**80, "too_large"),
                (None, "null"),
            ]
        ),
        *(
            ({"lines": [{"sku": value, "quantity": 1}]}, "lines[0].sku", code)
            for value, code in [
                ("", "blank"),
                ("A\0", "forbidden_character"),
                ("A\ud800", "forbidden_character"),
                ("A\nB", "forbidden_character"),
                ("A" * 11, "too_long"),
                (5, "not_text"),
                (["A"], "not_text"),
            ]
        ),
        (GOOD | {"skew": 1}, "skew", "unknown_field"),
        (GOOD | {"\ud800\0": 1}, "\\ud800\\0", "unknown_field"),
        (GOOD | {"flag": "true"}, "flag", "not_boolean"),
        (GOOD | {"flag": 1}, "flag", "not_boolean"),
        (GOOD | {"currency": "eur"}, "currency", "unknown_currency"),
        (GOOD | {"currency": "ZZZ"}, "currency", "unknown_currency"),
        (GOOD | {"kind": "fly"}, "kind", "unknown_value"),
        (GOOD | {"kind": {}}, "kind", "not_text"),
        (GOOD | {"price": 10**15 + 1}, "price", "too_large"),
        (GOOD | {"price": "10.00"}, "price", "not_integer"),
        *(
            (GOOD | {"at": value}, "at", "not_a_time")
            for value in [
                "2026-05-01",
                "2026-05-01T12:00:00",
                "2026-13-01T12:00:00Z",
                "2026-05-01T25:00:00Z",
                "2026-05-01T12:00:00+99:00",
                "0001-01-01T00:00:00+10:00",
                "9999-12-31T23:59:59-10:00",
                "٢٠٢٦-05-01T12:00:00Z",
                1777636800,
                "",
            ]
        ),
        (GOOD | {"labels": []}, "labels", "not_an_object"),
        (GOOD | {"labels": {"a": 1.5}}, "labels", "forbidden_value"),
        (GOOD | {"labels": {"a": ["\0"]}}, "labels", "forbidden_value"),
        (GOOD | {"labels": {"\udc00": 1}}, "labels", "forbidden_value"),
        (GOOD | {"labels": {"a": [[[[1]]]]}}, "labels", "too_deep"),
        (GOOD | {"labels": {"a": list(range(101))}}, "labels", "too_many"),
    ],
)
def test_what_is_not_exactly_right_is_refused_with_its_path(body: Any, field: str, code: str) -> None:
    problem = problem_of(body)
    assert [(error.field, error.code) for error in problem.errors] == [(field, code)]
    assert problem.code == code


def test_every_wrong_field_is_named_at_once() -> None:
    problem = problem_of({"lines": [{"sku": "", "quantity": 0, "size": 1}], "skew": 1})
    assert {error.field for error in problem.errors} == {
        "lines[0].sku",
        "lines[0].quantity",
        "lines[0].size",
        "skew",
    }
    assert problem.code == "invalid_fields"


def test_good_values_come_through_as_they_are() -> None:
    body = GOOD | {
        "note": "two\nlines ",
        "flag": False,
        "at": "2026-05-01T14:00:00.123456789+02:00",
        "currency": "KWD",
        "labels": {"a": [True, None, -1, {"b": "c"}]},
        "kind": "none",
        "price": None,
    }
    read = SAMPLE.run_validation(body)
    assert read == body | {"at": datetime(2026, 5, 1, 12, 0, 0, 123456, tzinfo=UTC)}


def test_the_fields_are_those_of_the_framework_so_that_the_schema_knows_them() -> None:
    assert isinstance(SAMPLE.fields["price"], serializers.IntegerField)
