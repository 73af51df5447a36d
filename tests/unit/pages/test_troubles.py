"""Problems in words that help."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import translation

from orders.errors import Conflict, Forbidden, Invalid, NotFound, Problem, Unavailable
from orders.rest.problems import Unexpected
from refunds.actions import RULES
from refunds.pages.acting import DO
from refunds.pages.presenters.troubles import TEXTS, trouble_text


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (Conflict("units_not_left", "x", left=2), "Only 2 can still be refunded."),
        (Conflict("units_not_left", "x", left=0), "None of it is left"),
        (Conflict("not_cancellable", "x"), "It is too late for that: your refund has moved on"),
        (Conflict("money_claimed", "x"), "It is too late for that: the money is being sent."),
        (Conflict("already_collected", "x"), "It is too late for that: the courier has the parcel."),
        (Unavailable("busy", "x"), "Somebody else is working on this order."),
        (Conflict("of_tomorrow", "x"), "That is not possible as things stand now."),
        (Invalid.of("y", "of_tomorrow", "x"), "This could not be read."),
        (Forbidden("of_tomorrow", "x"), "This cannot be done from this page."),
        (NotFound("of_tomorrow", "x"), "There is nothing at this address."),
        (Unexpected("internal_error", "x"), "Something went wrong on our side."),
    ],
)
def test_a_problem_is_said_without_the_inside(problem: Problem, text: str) -> None:
    assert trouble_text(problem).startswith(text)
    with translation.override("zh-hans"):
        assert not trouble_text(problem).isascii()


def test_every_refusal_of_what_a_customer_can_do_has_its_own_words() -> None:
    codes = {code for rule in RULES if rule.action in DO for code in (rule.code, *(need.code for need in rule.needs))}
    assert codes <= TEXTS.keys()


#: What his form does not let him ask.
NOT_HIS = {"currency_mismatch", "nothing_to_replace"}
ASKING = ("requests", "parts", "attempts", "asked_remedy", "exact", "targets")


def test_every_refusal_of_what_a_customer_asks_for_has_its_own_words() -> None:
    sources = [Path(settings.BASE_DIR) / "refunds" / "services" / f"{name}.py" for name in ASKING]
    raised = r'(?:Conflict|Forbidden|NotFound|Invalid)(?:\.of)?\(\s*(?:f?"[^"]*", )?"(\w+)"'
    codes = {code for source in sources for code in re.findall(raised, source.read_text())}
    assert len(codes) > 8
    assert codes - NOT_HIS <= TEXTS.keys()
