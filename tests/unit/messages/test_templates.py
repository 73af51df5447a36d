"""The words of a message are in place before it is written, and nothing is written that nobody has given a value."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import translation
from jinja2 import UndefinedError
from jinja2.loaders import FileSystemLoader

from refunds.messages import templates
from refunds.messages.render import render_message
from refunds.messages.templates import escaped, plain
from tests.unit.messages.samples import CHANNELS, LANGUAGES, TEMPLATES, sample

FILES = sorted(
    str(file.relative_to(folder))
    for folder in [Path(settings.BASE_DIR) / "templates" / "messages"]
    for file in folder.rglob("*.*")
)


@pytest.fixture
def uncompiled() -> None:
    templates._template.cache_clear()
    templates._environment.cache_clear()


@pytest.mark.parametrize("name", FILES)
def test_what_nobody_has_given_a_value_is_an_error(name: str) -> None:
    """Each file needs something; the one that does not only has a sentence."""
    with pytest.raises(UndefinedError):
        plain(name, "en", {})


def test_html_is_escaped_and_text_is_not() -> None:
    assert plain("sms/shop.txt", "en", {"shop": "Oak <b> & 'Co'"}) == "Oak <b> & 'Co': \n"
    assert escaped("sms/shop.txt", "en", {"shop": "Oak <b> & 'Co'"}) == "Oak &lt;b&gt; &amp; &#x27;Co&#x27;: \n"


def test_what_looks_like_a_placeholder_or_a_quote_stays_as_it_was_typed() -> None:
    typed = "%(shop)s {{ shop }} 100% &#39;"
    assert plain("sms/shop.txt", "zh-hans", {"shop": typed}) == f"【{typed}】\n"
    assert "&amp;#39;" in escaped("sms/shop.txt", "en", {"shop": typed})


def test_words_are_those_of_the_asked_language_whatever_the_thread_speaks(uncompiled: None) -> None:
    with translation.override("zh-hans"):
        assert plain("sms/shop.txt", "en", {"shop": "Oak"}) == "Oak: \n"
    with translation.override("en"):
        assert plain("sms/shop.txt", "zh-hans", {"shop": "Oak"}) == "【Oak】\n"


def test_a_template_is_read_and_compiled_once(uncompiled: None, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    get_source = FileSystemLoader.get_source

    def counted(self: FileSystemLoader, environment: object, name: str) -> object:
        read.append(name)
        return get_source(self, environment, name)  # type: ignore[arg-type]

    monkeypatch.setattr(FileSystemLoader, "get_source", counted)
    every = [
        sample(language, template=name, channel=c) for language in LANGUAGES for name in TEMPLATES for c in CHANNELS
    ]
    for facts in every:
        render_message(facts)
    first = len(read)
    for facts in every:
        render_message(replace(facts, order="another", amount_minor=1))
    assert first and len(read) == first


def test_threads_that_meet_uncompiled_templates_write_the_same(uncompiled: None) -> None:
    every = [
        sample(language, template=name, channel=c) for language in LANGUAGES for name in TEMPLATES for c in CHANNELS
    ]
    with ThreadPoolExecutor(8) as threads:
        written = list(threads.map(render_message, every * 4))
    assert written == [render_message(facts) for facts in every] * 4
