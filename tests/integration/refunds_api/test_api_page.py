"""The pages a shop starts with are true: their calls are made in order, and the answers they show are what comes."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.integration.refunds_api.clients import Caller
from tests.pages import API_PAGE, ROOT, answer_to, examples, play, request_of

pytestmark = pytest.mark.django_db(transaction=True)


def test_every_call_of_the_page_is_an_example_with_its_answer() -> None:
    assert len(list(examples(API_PAGE))) == API_PAGE.read_text().count("```sh\n") >= 10


def test_the_page_is_true(live_server, channel) -> None:
    play(API_PAGE, base=f"{live_server.url}/api/v1", key=Caller(channel).key)


def test_the_first_refund_of_the_readme_is_one(live_server, tmp_path: Path) -> None:
    known = looked_up(tmp_path, live_server.url)
    calls = re.findall(r"^curl (?:.*\\\n)*.*", first_refund(), re.M)
    asked, whole = (answer_to(request_of(call, known)) for call in calls)
    assert asked[0] == 202, asked
    assert (whole[0], whole[1]["refunds"][0]["number"]) == (200, asked[1]["refunds"][0]["metadata"]["number"])


def first_refund() -> str:
    return re.search(r"```sh\n(BASE=.*?)```", (ROOT / "README.md").read_text(), re.S)[1]


def looked_up(folder: Path, base_url: str) -> dict[str, str]:
    """What the page's own lines find in the file that `make up` writes."""
    demo = folder / ".refundry" / "demo.json"
    demo.parent.mkdir()
    call_command("load_demo", output=demo)
    demo.write_text(json.dumps(json.loads(demo.read_text()) | {"base_url": base_url}))
    lines = first_refund().split("\n\n")[0] + '\necho "$BASE $KEY"'
    shown = subprocess.run(["bash", "-ec", lines], cwd=folder, capture_output=True, text=True, check=True)
    return dict(zip(("BASE", "KEY"), shown.stdout.split(), strict=True))
