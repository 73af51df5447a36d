"""Pages with calls and answers: what a reader would do with curl, and how an answer differs from the one shown."""

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

from tests.waiting import eventually

ROOT = Path(__file__).parents[1]
API_PAGE = ROOT / "docs" / "api.md"
EXAMPLE = re.compile(r"```sh\n(?P<call>curl .*?)```\n\n→ `(?P<status>\d+)`\n\n```json\n(?P<shown>.*?)```", re.S)
DIFFERS = "…"


@dataclass
class Example:
    call: str
    status: int
    shown: Any


def examples(page: Path, *, channel: str = "default") -> Iterator[Example]:
    for found in EXAMPLE.finditer(page.read_text()):
        shown = found["shown"].replace('"channel": "default"', f'"channel": "{channel}"')
        yield Example(found["call"], int(found["status"]), json.loads(shown))


def play(page: Path, *, base: str, key: str, channel: str = "default") -> None:
    """Make the calls of the page in order, as its reader does; a GET again until it shows what the page shows.

    The page is written for the default channel.
    """
    known = {"BASE": base, "KEY": key}
    for example in examples(page, channel=channel):
        request = request_of(example.call, known)
        if request.get_method() == "GET":
            eventually(partial(_wrong, example, request), lambda wrong: not wrong, seconds=10)
            continue
        status, real = answer_to(request)
        assert (status, list(differences(example.shown, real))) == (example.status, []), (example.call, real)
        if status == 202:
            known["REFUND"] = real["refunds"][0]["metadata"]["number"]


def _wrong(example: Example, request: urllib.request.Request) -> list[str]:
    status, real = answer_to(request)
    return [f"{example.call}: {status}"] * (status != example.status) + list(differences(example.shown, real))


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
    elif isinstance(shown, list) and isinstance(real, list) and _as_long(shown, real):
        for index, below in enumerate(without_more(shown)):
            yield from differences(below, real[index], f"{path}[{index}]")
    elif shown != real:
        yield f"{path}: the page shows {shown!r}, the answer has {real!r}"


def _as_long(shown: list[Any], real: list[Any]) -> bool:
    return len(shown) == len(real) or len(without_more(shown)) <= len(real) and shown[-1:] == [DIFFERS]


def without_more(shown: list[Any]) -> list[Any]:
    return shown[:-1] if shown[-1:] == [DIFFERS] else shown
