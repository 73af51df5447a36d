"""Acts by their doors."""

from typing import Any

from refunds.models import Refund
from tests.integration.refunds_api import returns
from tests.integration.refunds_api.clients import Answer, Caller


def stamp(days: float) -> str:
    return returns.in_days(days).isoformat()


def a_slot() -> dict[str, str]:
    """The day after tomorrow, whenever that is."""
    return {"starts_at": stamp(2), "ends_at": stamp(2.1)}


def act(caller: Caller, refund: Refund, action: str, body: Any = None, **headers: str) -> Answer:
    return caller.post(f"/refunds/{refund.number}/{action}", body, **headers)
