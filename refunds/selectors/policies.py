"""The policy versions in force, and which of them an order is refunded by."""

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from orders.models import Channel
from refunds.declared import policy_rules
from refunds.declared.choosing import InForce, OrderFacts, chosen
from refunds.declared.governing import Governing
from refunds.declared.policy_rules import Selector
from refunds.models import GatewayRefund, Manifest, PolicyInForce, PolicyVersion, Refund
from refunds.policy import PolicySpec
from refunds.records import drawing, execute, execute_about

_IN_FORCE = """
SELECT v.id, v.name, v.selector, v.precedence, ''::text, refundry_now()
FROM refunds_policyinforce f JOIN refunds_policyversion v ON v.id = f.version_id
"""
_COLUMNS = 6


def _with_orders(drawn: str, none: str) -> str:
    """The policies, and the orders (without a time) with what they are chosen by; and for each order what is drawn."""
    return f"""
SELECT f.*{none} FROM ({_IN_FORCE}) f UNION ALL
SELECT o.id, c.slug, o.labels, 0, c.policy, NULL::timestamptz{drawn} FROM orders_order o
JOIN orders_channel c ON c.id = o.channel_id WHERE o.id = ANY(%b::bigint[])
"""


_WITH_ORDERS = _with_orders("", "")
_WITH_IDS = _with_orders(f", {drawing(Refund, GatewayRefund)}", ", NULL, NULL")


def policies_in_force() -> list[InForce]:
    """What new refunds can be pinned to."""
    return [_in_force(row) for row in execute(_IN_FORCE).fetchall()]


def version_in_force(policy: Manifest) -> PolicyVersion | None:
    """Of this policy, in this life of its name."""
    held = PolicyInForce.objects.filter(name=policy.name, version__uid=policy.uid).select_related("version").first()
    return held.version if held else None


def policies_naming(channel: str) -> list[str]:
    """Those whose selector names it, as applied or in force, but for what is on its way out and in force no more."""
    selector = {"channels": [channel]}
    in_force = PolicyInForce.objects.filter(version__selector__contains=selector).values_list("name", flat=True)
    applied = Manifest.objects.filter(kind=policy_rules.KIND, spec__contains={"selector": selector})
    begun = [{"type": "Terminating", "status": "True"}]
    return sorted({*in_force, *applied.exclude(conditions__contains=begun).values_list("name", flat=True)})


def governing_now() -> Governing:
    """Which policy governs which orders that something new can be asked for, as things are. Two statements, and one for
    each version not read before."""
    policies = tuple(policies_in_force())
    channels = dict(Channel.objects.filter(retired_at=None, closing_at=None).values_list("slug", "policy"))
    return Governing(policies, {p.version_id: policy_of(p.version_id) for p in policies}, channels)


def policies_at(order_ids: Collection[int]) -> tuple[dict[int, int], datetime]:
    """By order, the id of the version that a refund asked for now is pinned to; and the business time that it is."""
    return _chosen(execute_about(_WITH_ORDERS, order_ids).fetchall())


def policies_and_ids(order_ids: Collection[int]) -> tuple[dict[int, int], datetime, list[tuple[int, int]]]:
    """`policies_at`, and drawn in the same statement for each order the id of a new refund and of its movement."""
    rows = execute_about(_WITH_IDS, order_ids).fetchall()
    return *_chosen([row[:_COLUMNS] for row in rows]), [row[_COLUMNS:] for row in rows if not row[_COLUMNS - 1]]


def _chosen(rows: Sequence[tuple[Any, ...]]) -> tuple[dict[int, int], datetime]:
    times = [row[-1] for row in rows if row[-1]]
    policies = [_in_force(row) for row in rows if row[-1]]
    return {
        order_id: chosen(policies, OrderFacts(slug, labels, policy)).version_id
        for order_id, slug, labels, _, policy, time in rows
        if not time
    }, max(times)


def policy_at(order_id: int) -> tuple[int, datetime]:
    """The version for one order, and the business time at which it is."""
    versions, now = policies_at([order_id])
    return versions[order_id], now


@lru_cache(maxsize=1000)
def policy_of(version_id: int) -> PolicySpec:
    """The rules of a pinned version; versions never change."""
    return PolicySpec.from_json(PolicyVersion.objects.get(pk=version_id).spec)


def _in_force(row: tuple[Any, ...]) -> InForce:
    version_id, name, selector, precedence, *_ = row
    if selector is not None:
        selector = Selector(selector["labels"], tuple(selector["channels"]))
    return InForce(version_id, name, selector, precedence)
