"""Another one instead of the money: what the customer reads until it is ordered, and after that (rows 20 and 21)."""

from typing import Any

import pytest

from refunds.pages.presenters.telling import tell
from refunds.pages.presenters.told import Tone
from refunds.states import RefundState, Remedy
from tests.unit.pages.test_telling import NOON, WORDS, part

S = RefundState
WISHED = {"remedy": Remedy.REPLACEMENT}
ORDERED = WISHED | {"replaced_by": "N-1", "money": ()}
SOON = "We will write to you as soon as it has been ordered for you."
ELSE = " If we cannot do that by 4 May 2026, 14:00 UTC+2, you get your money: €20.00."
DONE = "It has the order number N-1, and costs you nothing. No money is sent back to you."
HELD = "It has been put on hold, and goes on by 4 May 2026, 14:00 UTC+2 at the latest."


@pytest.mark.parametrize(
    ("state", "facts", "tone", "headline", "lead"),
    [
        (S.REFUNDING, WISHED, Tone.WAITING, "We send you a replacement", SOON),
        (S.REFUNDING, WISHED | {"deadline": NOON}, Tone.WAITING, "We send you a replacement", SOON + ELSE),
        # What cost nothing has no money that could be had instead.
        (S.REFUNDING, WISHED | {"deadline": NOON, "amount_minor": 0}, Tone.WAITING, "We send you a replacement", SOON),
        (S.REFUNDING, WISHED | {"held_until": NOON}, Tone.WAITING, "Your refund is approved", HELD),
        (S.REFUNDED, ORDERED, Tone.DONE, "You get a replacement", DONE),
        # None in time, or the customer thought better of it: money like any other.
        (S.REFUNDING, {}, Tone.MOVING, "Your refund is being paid", "The payment service is being told right now."),
    ],
)
def test_what_is_read_of_a_replacement(
    state: RefundState, facts: dict[str, Any], tone: Tone, headline: str, lead: str
) -> None:
    told = tell(part(state, **facts), WORDS)
    assert (told.tone, told.headline, told.lead.replace("\u00a0", " "), told.todo) == (tone, headline, lead, "")
