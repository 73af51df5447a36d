"""A shop that is told by webhook of everything that happened to its refunds, whatever becomes of the workers."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook

from tests.integration.adapters.peers import Receiver
from tests.processes import Stack
from tests.stories.shop import Case, Shop
from tests.stories.traps import Trap
from tests.waiting import eventually

pytestmark = [pytest.mark.xdist_group("crashes")]
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
#: As the channel's controller writes it.
DECLARE = """
INSERT INTO refunds_webhookendpoint (channel_id, url, secret, types, generation, since)
SELECT id, %s, %s, '[]', 1, pg_snapshot_xmin(pg_current_snapshot())::text::bigint FROM orders_channel WHERE is_default
"""
REMOVE = "UPDATE refunds_webhookendpoint SET removed_at = now() WHERE url = %s"


@dataclass
class Ear:
    """The shop's door for webhooks."""

    receiver: Receiver

    def of(self, case: Case) -> list[dict[str, Any]]:
        """What it was told of the refund, in order of arrival, each verified."""
        told = [Webhook(SECRET).verify(body, headers) for headers, body in list(self.receiver.received)]
        return [said["data"] for said in told if said["data"]["refund"] == case.number]

    def ids(self, case: Case) -> list[str]:
        return [
            h["webhook-id"] for h, b in list(self.receiver.received) if json.loads(b)["data"]["refund"] == case.number
        ]


@pytest.fixture
def ear(fragile_stack: Stack) -> Iterator[Ear]:
    with closing(Receiver()) as receiver, fragile_stack.connect() as database:
        secret = fragile_stack.home.path / "hook-secret"
        secret.write_text(SECRET)
        database.execute(DECLARE, [receiver.url, f"file:{secret}"])
        yield Ear(receiver)
        database.execute(REMOVE, [receiver.url])


def test_a_shop_is_told_each_event_in_order_and_tried_again(fragile_shop: Shop, ear: Ear) -> None:
    ear.receiver.refusals = 1
    case = fragile_shop.place_order().request_refund()
    case.comes_to_rest("refunded")
    trail = case.trail()
    assert eventually(lambda: ear.of(case), lambda told: len(told) >= len(trail)) == trail


def test_what_a_killed_worker_has_told_comes_again_under_the_same_id(
    fragile_stack: Stack, fragile_shop: Shop, ear: Ear
) -> None:
    order = fragile_shop.place_order()
    trap = Trap(fragile_stack, "told", *order.marks)
    case = order.request_refund()
    trap.springs()
    case.comes_to_rest("refunded")
    trail = case.trail()
    told = eventually(lambda: ear.of(case), lambda told: len(told) > len(trail))
    assert told == [trail[0], *trail], "the first one twice, and each in its turn"
    assert ear.ids(case) == [f"msg_{case.number}_{seq}" for seq in (1, *range(1, len(trail) + 1))]
