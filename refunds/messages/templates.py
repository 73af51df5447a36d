"""The templates of messages, each compiled once in a process for a language, with that language's words in place.

There is nothing left to look up while a message is written. A name that nobody gave a value is an error.
"""

import re
from collections.abc import MutableMapping
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import translation
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template, nodes
from jinja2.ext import InternationalizationExtension

_PLACEHOLDER = re.compile(r"%\((\w+)\)s")
_LANGUAGE = "ext.i18n.language"
#: As Django's templates write them; what a value brings along has its `&` escaped.
_QUOTES = (("&#39;", "&#x27;"), ("&#34;", "&quot;"))


class _Translated(InternationalizationExtension):
    """Puts the translation itself into the compiled template, where Jinja's own extension looks it up every time."""

    def _make_node(self, singular: str, plural: str | None, context: str | None, *args: Any) -> nodes.Output:
        variables: dict[str, nodes.Expr] = args[0]
        if plural is not None:
            raise NotImplementedError("messages count nothing in words")
        with translation.override(self.environment.policies[_LANGUAGE]):
            said = translation.pgettext(context, singular) if context else translation.gettext(singular)
        texts = _PLACEHOLDER.split(said)
        found: list[nodes.Expr] = [nodes.TemplateData(text.replace("%%", "%")) for text in texts]
        found[1::2] = [variables[name] for name in texts[1::2]]
        return nodes.Output(found)


class _Environment(Environment):
    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """None: all that a template names is a value of its message, and Jinja would copy them for each."""
        return {}


def plain(name: str, language: str, values: dict[str, Any]) -> str:
    """For a medium without markup, where escaping would show."""
    return _template(name, language, escapes=False).render(values)


def escaped(name: str, language: str, values: dict[str, Any]) -> str:
    """The same as HTML."""
    html = _template(name, language, escapes=True).render(values)
    if "&#3" in html:
        for theirs, ours in _QUOTES:
            html = html.replace(theirs, ours)
    return html


@cache
def _template(name: str, language: str, *, escapes: bool) -> Template:
    return _environment(language, escapes=escapes).get_template(name)


@cache
def _environment(language: str, *, escapes: bool) -> Environment:
    environment = _Environment(
        loader=FileSystemLoader(Path(settings.BASE_DIR) / "templates" / "messages"),
        extensions=[_Translated],
        autoescape=escapes,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        auto_reload=False,
        cache_size=-1,
    )
    environment.policies.update({"ext.i18n.trimmed": True, _LANGUAGE: language})
    return environment
