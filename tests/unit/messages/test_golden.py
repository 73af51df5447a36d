"""Every message as a customer gets it. After a wanted change: GOLDEN=write pytest tests/unit/messages."""

import os
from pathlib import Path

import pytest

from refunds.messages.render import render_message
from tests.unit.messages.samples import CHANNELS, LANGUAGES, TEMPLATES, sample

GOLDEN = Path(__file__).parent / "golden"


def matches(name: str, content: str) -> bool:
    file = GOLDEN / name
    if os.environ.get("GOLDEN") == "write":
        file.parent.mkdir(exist_ok=True)
        file.write_text(content, encoding="utf-8")
    return file.read_text(encoding="utf-8") == content


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("template", TEMPLATES)
def test_message_reads_as_approved(template: str, channel: str, language: str) -> None:
    message = render_message(sample(language, template=template, channel=channel))
    head = f"Subject: {message.subject}\n\n" if channel == "email" else ""
    assert matches(f"{template}.{language}.{channel}.txt", head + message.text.rstrip("\n") + "\n")
    if channel == "email":
        assert matches(f"{template}.{language}.{channel}.html", message.html)
