"""A refund whose sync raised, or whose syncs killed their workers: left alone for a while, shown, taken up again."""

from datetime import timedelta

import pytest

from refunds.models import Refund
from refunds.selectors.due import due_page
from refunds.services.acts import cancel_refund
from refunds.services.setbacks import mark_stalled, postpone
from tests.integration.engine.conftest import Engine
from tests.integration.engine.money import asked_for
from tests.integration.engine.returns import SHOP, fresh, pass_time, target

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]


def test_a_stalled_refund_is_shown_and_left_alone_for_an_hour() -> None:
    refund = asked_for()
    mark_stalled(refund.id)
    assert is_stalled(refund)
    pass_time(timedelta(minutes=59))
    assert not sweep_finds(refund)
    pass_time(timedelta(minutes=2))
    assert sweep_finds(refund)


def test_a_change_takes_a_stalled_refund_up_at_once_and_a_pass_that_ends_takes_it_back() -> None:
    refund = asked_for()
    mark_stalled(refund.id)
    cancel_refund(target(refund), actor=SHOP)
    pass_time(timedelta(seconds=6))
    assert sweep_finds(refund), "though the wake-up was lost"
    Engine().begin(refund)
    assert (is_stalled(refund), fresh(refund).state) == (False, "cancelled")


def test_a_refund_whose_sync_raises_is_left_alone_for_its_back_off_and_keeps_nobody_else_from_the_sweep() -> None:
    bad, good = asked_for(), asked_for()
    for failures in (1, 2, 3):
        postpone(bad.id, failures=failures)
    pass_time(timedelta(seconds=30))
    assert (sweep_finds(bad), sweep_finds(good)) == (False, True)
    pass_time(timedelta(seconds=11))
    assert sweep_finds(bad)
    assert fresh(bad).failures == 3


def is_stalled(refund: Refund) -> bool:
    return any(c["type"] == "Stalled" and c["status"] == "True" for c in fresh(refund).conditions)


def sweep_finds(refund: Refund) -> bool:
    ids, _ = due_page("refunds_refund", None, 100)
    return refund.id in ids
