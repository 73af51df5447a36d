"""The Chinese catalogue says exactly what is asked for: nothing missing, empty, fuzzy or left over."""

import re
from collections.abc import Iterator
from pathlib import Path

from babel.messages.extract import extract
from babel.messages.pofile import read_po
from django.conf import settings
from django.template import Template
from django.template.base import Node
from django.template.loader import get_template
from django.templatetags.i18n import BlockTranslateNode, TranslateNode
from django.utils import translation

TEMPLATES = Path(settings.BASE_DIR) / "templates"
#: Written for Jinja, where all others are Django's.
MESSAGES = TEMPLATES / "messages"
#: Whose Python code speaks to people.
DOORS = [Path(settings.BASE_DIR) / "refunds" / name for name in ("pages", "console", "messages")]
KEYWORDS = {name: None for name in ("_", "gettext", "gettext_lazy", "gettext_noop")} | {
    name: ((1, "c"), 2) for name in ("pgettext", "pgettext_lazy")
}
CATALOGUE = Path(settings.BASE_DIR) / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
PLACEHOLDER = re.compile(r"%\((\w+)\)s")


def asked_for() -> set[tuple[str, str]]:
    files = {file for file in TEMPLATES.rglob("*") if file.is_file()}
    of_messages = {file for file in files if file.is_relative_to(MESSAGES)}
    templates = [get_template(str(f.relative_to(TEMPLATES))).template for f in files - of_messages]
    said = {message for template in templates for message in messages_in(template)}
    code = {file for door in DOORS for file in door.rglob("*.py")}
    extracted = [("jinja2", file) for file in of_messages] + [("python", file) for file in code]
    return said | {message for method, file in extracted for message in messages_of(file, method)}


def messages_of(file: Path, method: str) -> Iterator[tuple[str, str]]:
    """What a file of Python or Jinja has translated."""
    options = {"trimmed": "true"} if method == "jinja2" else {}
    with file.open("rb") as source:
        for _line, message, _comments, context in extract(method, source, keywords=KEYWORDS, options=options):
            yield context or "", message if isinstance(message, str) else message[-1]


def messages_in(template: Template) -> Iterator[tuple[str, str]]:
    nodes: list[Node] = template.nodelist.get_nodes_by_type((TranslateNode, BlockTranslateNode))
    for node in nodes:
        context = node.message_context.var.strip("\"'") if node.message_context else ""
        if isinstance(node, TranslateNode):
            yield context, str(node.filter_expression.var.literal)
        else:
            yield context, node.render_token_list(node.singular)[0]


def catalogue() -> dict[tuple[str, str], str]:
    with CATALOGUE.open("rb") as file:
        return {(m.context or "", str(m.id)): "" if m.fuzzy else str(m.string) for m in read_po(file) if m.id}


def test_catalogue_holds_what_the_templates_ask_for() -> None:
    assert catalogue().keys() == asked_for()


def test_no_message_is_empty_or_fuzzy() -> None:
    assert [message for message, text in catalogue().items() if not text] == []


def test_chinese_says_customer_in_one_word_and_has_no_half_width_punctuation() -> None:
    for message, text in catalogue().items():
        assert "顾客" not in text, message
        bare = re.sub(r"%\(\w+\)s|https?:\S+", "", text)
        assert not re.search(r"[,;!?()]|:(?!\S)|[\u4e00-\u9fff][.:]", bare), message


def test_translations_name_the_same_facts() -> None:
    for (_, message), text in catalogue().items():
        assert sorted(PLACEHOLDER.findall(text)) == sorted(PLACEHOLDER.findall(message)), message


def test_compiled_catalogue_is_the_written_one() -> None:
    written = {message: text for (context, message), text in catalogue().items() if not context}
    with translation.override("zh-hans"):
        assert {message: translation.gettext(message) for message in written} == written, "run `make catalogue`"
