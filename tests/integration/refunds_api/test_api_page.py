"""docs/api.md is true: its curl calls are made in order, and the answers it shows are what comes."""

import json
import re
import shlex
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.integration.refunds_api.clients import Caller
from tests.waiting import eventually

pytestmark = pytest.mark.django_db(transaction=True)

PAGE = Path(__file__).parents[3] / "docs" / "api.md"
EXAMPLE = re.compile(r"```sh\n(?P<call>curl .*?)```\n\n→ `(?P<status>\d+)`\n\n```json\n(?P<shown>.*?)```", re.S)
DIFFERS = "…"


@dataclass
class Example:
    call: str
    status: int
    shown: Any


def examples() -> Iterator[Example]:
    for found in EXAMPLE.finditer(PAGE.read_text()):
        yield Example(found["call"], int(found["status"]), json.loads(found["shown"]))


def request_of(call: str, known: dict[str, str]) -> urllib.request.Request:
    """The call that curl would make; knows the few options the page uses."""
    words = iter(shlex.split(call.replace("\\\n", " "))[1:])
    method, url, body, headers = "", "", None, {}
    for word in words:
        match word:
            case "-s":
                continue
            case "-X":
                method = next(words)
            case "-H":
                name, _, value = next(words).partition(": ")
                headers[name] = replaced(value, known)
            case "-d":
                body = next(words).encode()
            case _:
                url = replaced(word, known)
    return urllib.request.Request(url, data=body, headers=headers, method=method or ("POST" if body else "GET"))


def replaced(text: str, known: dict[str, str]) -> str:
    return re.sub(r"\$([A-Z]+)", lambda name: known[name[1]], text)


def answer_to(request: urllib.request.Request) -> tuple[int, Any]:
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def differences(shown: Any, real: Any, path: str = "") -> Iterator[str]:
    """Where the page shows something else than what came. Fields it leaves out do not count."""
    if shown == DIFFERS:
        return
    if isinstance(shown, dict) and isinstance(real, dict):
        for name, below in shown.items():
            yield from differences(below, real.get(name, "(missing)"), f"{path}.{name}")
    elif isinstance(shown, list) and isinstance(real, list) and len(shown) == len(real):
        for index, below in enumerate(shown):
            yield from differences(below, real[index], f"{path}[{index}]")
    elif shown != real:
        yield f"{path}: the page shows {shown!r}, the answer has {real!r}"


def test_every_call_of_the_page_is_an_example_with_its_answer() -> None:
    assert len(list(examples())) == PAGE.read_text().count("```sh\n") >= 10


def test_the_page_is_true(live_server, channel) -> None:
    known = {"BASE": f"{live_server.url}/api/v1", "KEY": Caller(channel).key}
    for example in examples():
        ask = partial(answer_to, request_of(example.call, known))
        # The feed waits for every transaction of the server, another test's too.
        is_feed = "$BASE/events" in example.call
        status, real = eventually(ask, lambda told: told[1]["items"]) if is_feed else ask()
        assert status == example.status, (example.call, real)
        assert list(differences(example.shown, real)) == [], example.call
        if status == 202:
            known["REFUND"] = real["refunds"][0]["metadata"]["number"]
