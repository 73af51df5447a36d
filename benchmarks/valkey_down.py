"""Valkey down: what clients of the API notice of it, and how soon all is done afterwards.

Clients place orders and ask for their money, at the same modest pace while Valkey is up, killed, and up again.
"""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from django.db import connection

from benchmarks.budgets import Budget
from benchmarks.figures import Figures, percentiles_ms
from benchmarks.goals import Goal
from benchmarks.installation import Answer, Installation, Shop

CLIENTS = 4
PACE_SECONDS = 0.25
LIMIT_SECONDS = 120.0
_OPEN = """
SELECT count(*) FROM refunds_refund refund JOIN orders_order "order" ON "order".id = refund.order_id
WHERE "order".number LIKE %s AND refund.state <> 'refunded'
"""


def run(stage: Installation, budget: Budget, *, quick: bool) -> list[Figures | Goal]:
    ground, shop = stage.ground, stage.shop
    up, down = (2.0, 3.0) if quick else (10.0, 30.0)
    _ask(shop, 1.0)
    rows = {"up": _row(_ask(shop, up))}
    ground.children.kill(ground.valkey)
    rows[f"down for {down:g} s"] = _row(_ask(shop, down))
    left = _open(shop)
    ground.valkey = ground.children.start(ground.valkey.command)
    seconds = _catch_up(shop)
    rows["up again"] = _row(_ask(shop, up))
    _catch_up(shop)
    caught_up = {"after Valkey is back": {"refunds left": left, "seconds": round(seconds, 1)}}
    return [
        Figures("valkey_down: answers of the API", rows, "requests go on being accepted"),
        Figures("valkey_down: until all is refunded", caught_up),
    ]


def _ask(shop: Shop, seconds: float) -> list[Answer]:
    with ThreadPoolExecutor(CLIENTS) as pool:
        until = time.monotonic() + seconds
        return [answer for answers in pool.map(partial(_client, shop), [until] * CLIENTS) for answer in answers]


def _client(shop: Shop, until: float) -> list[Answer]:
    answers = []
    while (begun := time.monotonic()) < until:
        placed = shop.place_order()
        answers += [placed, shop.request_refund(placed.order)]
        time.sleep(max(0.0, begun + PACE_SECONDS - time.monotonic()))
    return answers


def _row(answers: Sequence[Answer]) -> dict[str, float]:
    refused = sum(answer.status not in (201, 202) for answer in answers)
    return {"requests": len(answers), "refused": refused, **percentiles_ms([answer.seconds for answer in answers])}


def _catch_up(shop: Shop) -> float:
    begun = time.monotonic()
    while _open(shop):
        if time.monotonic() > begun + LIMIT_SECONDS:
            raise TimeoutError("not all was refunded")
        time.sleep(0.1)
    return time.monotonic() - begun


def _open(shop: Shop) -> int:
    with connection.cursor() as cursor:
        cursor.execute(_OPEN, [f"{shop.prefix}-%"])
        return cursor.fetchone()[0]
