"""What must be true when a run of chaos has ended, each promise by what somebody outside has seen of it."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise

import redis
from django.conf import settings

from tests.chaos.plan import Purchase
from tests.consistency import violations
from tests.processes import Stack
from tests.stories.shop import Shop

#: What a customer was told by mail, in whichever order it came: the first without goods that come back.
TOLD = {
    False: ({"refunded_at_once"}, {"received", "refunded"}),
    True: ({"received", "pickup_booked", "refunded"},),
}
#: What the queue keeps of itself and of its pumps, and the broker of its queues; nothing here is about a key.
ABOUT_NO_KEY = re.compile(r"\{refundry\}::(?!alone)|_kombu\.binding")
#: So much later than its sender was killed a message may still arrive.
IN_FLIGHT = timedelta(seconds=3)

#: Of a process that is killed while a crowd is being told: its mails and its SMS under way.
MOST_IN_HAND = 2 * settings.MESSAGE_SLOTS

#: By identity without the host: when each came.
Deliveries = dict[str, list[datetime]]

_REFUNDS = """
SELECT refund.number, "order".number, refund.state, refund.amount_minor
FROM refunds_refund refund JOIN orders_order "order" ON "order".id = refund.order_id WHERE "order".number LIKE %s
"""
_MESSAGES = """
SELECT refund.number, channel, template, notification.state,
    refund.id || '.' || notification.event_seq || '.' || channel
FROM refunds_notification notification JOIN refunds_refund refund ON refund.id = refund_id
JOIN orders_order "order" ON "order".id = refund.order_id WHERE "order".number LIKE %s
"""
_INCIDENTS = """
SELECT kind FROM refunds_incident incident JOIN orders_order "order" ON "order".id = incident.order_id
WHERE closed_at IS NULL AND "order".number LIKE %s
"""


@dataclass
class Verdict:
    """`facts` for people to read, `broken` what should not be; empty when all is well."""

    facts: dict[str, object] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)

    def expect(self, holds: bool, sentence: str) -> None:
        if not holds:
            self.broken.append(sentence)

    def text(self) -> str:
        lines = [f"  {name:<34}{value:>12}" for name, value in self.facts.items()]
        told = [f"  BROKEN: {sentence}" for sentence in self.broken[:20]]
        if more := len(self.broken) - len(told):
            told.append(f"  ... and {more} more")
        return "\n".join([*lines, *(told or ["  every promise is kept"])])


class Judge:
    def __init__(self, shop: Shop, purchases: Mapping[str, Purchase], prefix: str) -> None:
        self._shop = shop
        self._stack: Stack = shop.stack
        self._purchases = purchases
        self._like = f"{prefix}-%"
        self._verdict = Verdict()

    def judge(self, losses: Sequence[datetime], *, share_repeated: float) -> Verdict:
        """`losses`: when something was taken from the run."""
        refunds = self._every_refund_ended()
        self._money_moved_once(refunds)
        self._courier_came_once(refunds)
        came = self._deliveries(refunds)
        self._customers_were_told(refunds, came)
        self._count_messages(came, len(losses), share_repeated)
        self._repeats_have_a_cause(came, losses)
        self._nothing_is_left_in_redis()
        self._books_agree()
        return self._verdict

    def _every_refund_ended(self) -> dict[str, Purchase]:
        """The purchases by the numbers of their refunds."""
        rows = self._stack.query(_REFUNDS, self._like)
        refunds = {number: self._purchases[order] for number, order, _, _ in rows}
        states = Counter(state for _, _, state, _ in rows)
        self._verdict.facts |= {f"refunds {state}": count for state, count in states.items()}
        self._verdict.expect(len(refunds) == len(self._purchases), f"{len(refunds)} refunds of {len(self._purchases)}")
        for number, order, state, amount in rows:
            self._verdict.expect(state == "refunded", f"{number} of {order} is {state}")
            self._verdict.expect(amount == self._purchases[order].amount_minor, f"{number} is about {amount}")
        return refunds

    def _money_moved_once(self, refunds: Mapping[str, Purchase]) -> None:
        ledger = self._shop.gateway("GET", "/ledger")
        paid = defaultdict(list)
        for row in ledger["refunds"]:
            paid[row["payment_reference"]].append((row["status"], row["amount_minor"], row["currency"]))
        ours = {purchase.payment for purchase in refunds.values()}
        calls = Counter(call["method"] for call in ledger["calls"] if call["payment_reference"] in ours)
        self._verdict.facts["refunds in the gateway's ledger"] = sum(len(paid[payment]) for payment in ours)
        self._verdict.facts["  asked for"] = calls["POST"]
        self._verdict.facts["  looked up after an unknown outcome"] = calls["GET"]
        for purchase in self._purchases.values():
            found, once = paid[purchase.payment], [("succeeded", purchase.amount_minor, "EUR")]
            self._verdict.expect(found == once, f"the gateway has {found} for {purchase.number}, not {once}")

    def _courier_came_once(self, refunds: Mapping[str, Purchase]) -> None:
        pickups = defaultdict(list)
        for row in self._shop.courier("GET", "/ledger")["pickups"]:
            pickups[row["refund"]].append(row["status"])
        self._verdict.facts["pickups"] = sum(len(pickups[number]) for number in refunds)
        for number, purchase in refunds.items():
            once = ["received"] if purchase.delivered else []
            self._verdict.expect(pickups[number] == once, f"{number} was fetched {pickups[number]}")

    def _customers_were_told(self, refunds: Mapping[str, Purchase], came: Deliveries) -> None:
        told = defaultdict(set)
        for refund, channel, template, state, identity in self._stack.query(_MESSAGES, self._like):
            self._verdict.expect(state == "sent", f"{template} of {refund} by {channel} is {state}")
            self._verdict.expect(identity in came, f"{template} of {refund} never came by {channel}")
            told[refund, channel].add(template)
        for number, purchase in refunds.items():
            mails = told[number, "email"]
            self._verdict.expect(mails in TOLD[purchase.delivered], f"the customer of {number} was told {mails}")

    def _deliveries(self, refunds: Mapping[str, Purchase]) -> Deliveries:
        """Read where the inbox keeps them, for a list of tens of thousands is no answer for a request."""
        came: Deliveries = defaultdict(list)
        for message in _kept(self._stack):
            if message["refund"] in refunds:
                name = message["message_id"].strip("<>").partition("@")[0]
                came[name].append(datetime.fromisoformat(message["sent_at"]))
        return came

    def _count_messages(self, came: Deliveries, losses: int, share_repeated: float) -> None:
        duplicates = sum(len(times) - 1 for times in came.values())
        self._verdict.facts["messages, by identity"] = len(came)
        self._verdict.facts["  delivered more than once"] = sum(len(times) > 1 for times in came.values())
        self._verdict.facts["  raw duplicates"] = duplicates
        self._verdict.facts["  losses they may come from"] = losses
        few = duplicates <= losses * share_repeated * MOST_IN_HAND
        self._verdict.expect(few, f"{duplicates} duplicates of messages after {losses} losses")

    def _repeats_have_a_cause(self, came: Deliveries, losses: Sequence[datetime]) -> None:
        """Between a message and its repetition something was lost."""
        for identity, times in came.items():
            for first, again in pairwise(sorted(times)):
                lost = any(first - IN_FLIGHT <= loss <= again for loss in losses)
                self._verdict.expect(lost, f"{identity} came at {first} and at {again}, and nothing was lost between")

    def _nothing_is_left_in_redis(self) -> None:
        left = left_in_redis(self._stack)
        self._verdict.facts["keys left in Redis"] = len(left)
        self._verdict.expect(not left, f"left in Redis: {left}")

    def _books_agree(self) -> None:
        with self._stack.connect() as connection:
            self._verdict.broken += violations(connection)
        incidents = [kind for (kind,) in self._stack.query(_INCIDENTS, self._like)]
        self._verdict.facts["incidents open"] = len(incidents)
        self._verdict.expect(not incidents, f"incidents: {Counter(incidents)}")


def left_in_redis(stack: Stack) -> dict[str, str]:
    """The whole of it, but for what is about no key: names and types. A pump at work, too, leaves something."""
    with redis.Redis.from_url(stack.redis_url, decode_responses=True) as client:
        return {name: client.type(name) for name in client.scan_iter() if not ABOUT_NO_KEY.match(name)}


def _kept(stack: Stack) -> Iterator[dict]:
    for file in (stack.home.path / "inbox").glob("*.jsonl"):
        with file.open(encoding="utf-8") as lines:
            for kind, _, row in map(json.loads, lines):
                if kind == "message":
                    yield row
