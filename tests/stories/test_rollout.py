"""A new version of a policy while refunds are running and reconciled: what has money claimed stays on its version, all
else follows; rolled back it is the next version."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.consistency import violations
from tests.processes import Stack
from tests.sizes import size
from tests.stories.shop import Shop, ShopOrder, expect
from tests.waiting import eventually

pytestmark = [pytest.mark.xdist_group("stories"), pytest.mark.sized]

REFUNDS = size(1000)
#: More than one unit is looked at by a person first.
RULES: dict[str, Any] = {"selector": {}, "limits": {"instantMinor": {"EUR": 1000}}, "maxReplanPerSync": 20}
#: A refund that changed its version though a call had been claimed for its money by then.
MOVED_WITH_MONEY_CLAIMED = """
SELECT r.number FROM refunds_refundevent e JOIN refunds_refund r ON r.id = e.refund_id
JOIN refunds_gatewayrefund m ON m.refund_id = r.id
WHERE e.kind = 'refund.policy_changed' AND m.first_sent_at < e.occurred_at
"""
PINNED = """
SELECT v.generation, count(*) FROM refunds_refund r JOIN refunds_policyversion v ON v.id = r.policy_version_id
WHERE v.name = 'spring' AND NOT r.state = ANY(%s) GROUP BY v.generation
"""
ENDED = ["refunded", "rejected", "cancelled", "expired", "partially_refunded"]


class Policies:
    """The operator at the command line."""

    def __init__(self, stack: Stack, folder: Path) -> None:
        self.stack, self.file = stack, folder / "spring.yaml"

    def apply(self, **rules: Any) -> None:
        manifest = {"apiVersion": "refundry/v1", "kind": "RefundPolicy", "metadata": {"name": "spring"}}
        self.file.write_text(json.dumps(manifest | {"spec": RULES | rules}))
        self.stack.manage("apply", "-f", str(self.file))

    def conditions(self) -> dict[str, tuple[str, str]]:
        [(found, generation, observed)] = self.stack.query(
            "SELECT conditions, generation, observed_generation FROM refunds_manifest WHERE name = 'spring'"
        )
        return {c["type"]: (c["status"], c["reason"]) for c in found} if generation == observed else {}

    def pinned(self) -> dict[int, int]:
        return dict(self.stack.query(PINNED, ENDED))

    def is_complete(self) -> None:
        eventually(self.conditions, lambda said: said.get("Progressing") == ("False", "Complete"), seconds=120)


def test_a_thousand_running_refunds_follow_unless_their_money_is_claimed(tmp_path: Path) -> None:
    with Stack(workers=2).running() as stack:
        shop, policies = Shop(stack), Policies(stack, tmp_path)
        policies.apply()
        eventually(lambda: policies.conditions().get("Ready"), lambda ready: ready == ("True", "InForce"))
        asked = _ask(shop, REFUNDS)
        policies.apply(clocks={"review": "24h"})
        _approve(shop, [number for number, is_reviewed in asked if is_reviewed][::2])
        policies.is_complete()
        assert stack.query(MOVED_WITH_MONEY_CLAIMED) == []
        assert set(policies.pinned()) <= {1, 2} and policies.pinned()[2] > 0
        new = shop.place_order(quantity=2)
        _refund(new)
        assert policies.pinned()[2] > 0
        policies.apply()  # back to the first rules
        policies.is_complete()
        assert stack.query(MOVED_WITH_MONEY_CLAIMED) == []
        reviewed = len([1 for _, is_reviewed in asked if is_reviewed])
        assert policies.pinned().get(3, 0) >= reviewed // 2
        with stack.connect() as connection:
            eventually(lambda: violations(connection), lambda found: found == [], seconds=60)


def _ask(shop: Shop, count: int) -> list[tuple[str, bool]]:
    """So many refunds; every other one is of two units, and is looked at. The gateway takes its time."""

    def one(n: int) -> tuple[str, bool]:
        order = shop.place_order({"behaviour": "succeed", "delay_ms": 200}, quantity=1 + n % 2)
        return _refund(order), bool(n % 2)

    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(one, range(count)))


def _refund(order: ShopOrder) -> str:
    asked = expect(order.shop.send("POST", f"{order.path}/refunds", {"lines": "all"}), 202)
    [refund] = asked["refunds"]
    return str(refund["metadata"]["number"])


def _approve(shop: Shop, numbers: list[str]) -> None:
    """While the rollout is going on."""

    def one(number: str) -> None:
        answer = eventually(
            lambda: shop.send("POST", f"/refunds/{number}/approve", {}, role="support"),
            lambda answer: answer.status != 503,
        )
        assert answer.status == 200, answer

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(one, numbers))
