"""The page about webhooks says what the code does: its example verifies what we sign, and its schedule is ours."""

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from refunds.hooks import WAITS
from workers.adapters import signing

PAGE = (Path(__file__).parents[3] / "docs" / "webhooks.md").read_text()
OLD, NEW, BODY = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_bmV3ZXIgc2VjcmV0", b'{"type":"refund.refunded"}'
UNITS = {"s": 1, "min": 60, "h": 3600}

Verify = Callable[[str, dict[str, str], bytes], bool]


@pytest.fixture
def verified() -> Verify:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, Verify] = {}
    exec(example, names)
    return names["verified"]


def signed(secret: str = OLD, *, age: float = 0) -> dict[str, str]:
    return signing.sign(secret, BODY, message_id="msg_RF-1_3", now=time.time() - age)


def test_the_example_accepts_what_we_sign(verified: Verify) -> None:
    assert verified(OLD, signed(), BODY)
    assert all(verified(secret, signed(f"{NEW}\n{OLD}"), BODY) for secret in (OLD, NEW))


def test_the_example_refuses_everything_else(verified: Verify) -> None:
    assert not verified(NEW, signed(), BODY)
    assert not verified(OLD, signed(), BODY + b" ")
    assert not verified(OLD, signed() | {"webhook-id": "msg_RF-1_4"}, BODY)
    assert not verified(OLD, signed(age=400), BODY)


def test_the_schedule_is_that_of_the_code() -> None:
    (told,) = re.findall(r"sent again after ([^:]*):", PAGE)
    waits = [int(number) * UNITS[unit] for number, unit in re.findall(r"(\d+) (s|min|h)\b", told)]
    assert tuple(waits) == WAITS
