"""YAML as manifests use it: what YAML 1.2 calls the core schema, without fractions, so that nothing is guessed.

Only true and false are truth values, only whole decimal numbers are numbers: `no`, `2026-10-01`, `010`, `1.10` and
`12:30` are texts. A name is a text and stands there once. Aliases are followed, to an end: what they make of the file
is counted first.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from orders.typed import is_seen

#: Values in one document, after aliases.
MOST_VALUES = 50_000
_TAG = "tag:yaml.org,2002:"
_MERGE = f"{_TAG}merge"
_KNOWN = {f"{_TAG}{name}" for name in ("str", "int", "bool", "null", "map", "seq")}
_CORE = (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)", "-+0123456789"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("merge", r"<<", "<"),
)


class NotYaml(Exception):
    """`line` is where, None where nobody can say."""

    def __init__(self, detail: str, line: int | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.line = line


@dataclass(frozen=True, slots=True)
class Document:
    """`line` is where it begins; `lines`, where the value of each path is, such as `spec.clocks.review`."""

    value: Any
    line: int
    lines: dict[str, int]

    def line_of(self, path: str) -> int:
        """Of the value, or of what is nearest around it."""
        while path and path not in self.lines:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return self.lines.get(path, self.line)


class _Loader(yaml.SafeLoader):
    yaml_implicit_resolvers: dict[str, Any] = {}


class _Dumper(yaml.SafeDumper):
    """Quotes whatever readers of YAML 1.1 or 1.2 would not take for a text, and in double quotes, where it can be
    escaped, what a terminal does not show as it is."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def represent_str(self, data: str) -> yaml.ScalarNode:
        return self.represent_scalar(f"{_TAG}str", data, style=None if is_seen(data) else '"')


_Dumper.add_representer(str, _Dumper.represent_str)
for _name, _shape, _first in _CORE:
    for _form in (_Loader, _Dumper):
        _form.add_implicit_resolver(f"{_TAG}{_name}", re.compile(rf"(?:{_shape})\Z"), list(_first))
_Dumper.add_implicit_resolver(f"{_TAG}float", re.compile(r"[-+]?[0-9]+[eE][-+]?[0-9]+\Z"), list("-+0123456789"))


def load(text: str) -> list[Document]:
    """Its documents; empty ones are none. Raises NotYaml."""
    try:
        return list(_documents(_Loader(text)))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        detail = f"This is not YAML: {error.problem or error.context}."
        raise NotYaml(detail, mark.line + 1 if mark else None) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise NotYaml("It holds a character that no text has.", line) from None
    except RecursionError:
        raise NotYaml("It is nested too deeply.") from None


def dump(*trees: Any) -> str:
    """One document for each."""
    written = (
        yaml.dump(tree, Dumper=_Dumper, sort_keys=False, allow_unicode=True, default_flow_style=False, width=110)
        for tree in trees
    )
    return "---\n".join(written)


def _documents(loader: _Loader) -> Iterator[Document]:
    while loader.check_node():
        node = loader.get_node()
        assert node is not None, "check_node has found one"
        _check(node)
        line = node.start_mark.line + 1
        try:
            value = loader.construct_document(node)
        except ValueError:
            raise NotYaml("A number cannot be read: it is too long, or none.", line) from None
        if value is not None:
            yield Document(value, line, dict(_lines(node, "")))


def _check(root: yaml.Node) -> None:
    """Raise NotYaml for what manifests do not use, before anything is made of it."""
    sizes: dict[int, int] = {}
    inside: set[int] = set()

    def size(node: yaml.Node) -> int:
        if id(node) in inside:
            raise NotYaml("It contains itself.", node.start_mark.line + 1)
        if id(node) not in sizes:
            inside.add(id(node))
            _check_one(node)
            sizes[id(node)] = 1 + sum(map(size, _below(node)))
            inside.remove(id(node))
        return sizes[id(node)]

    if size(root) > MOST_VALUES:
        raise NotYaml(f"With all its aliases it has more than {MOST_VALUES} values.", root.start_mark.line + 1)


def _check_one(node: yaml.Node) -> None:
    if node.tag not in _KNOWN:
        raise NotYaml(f"{node.tag.replace(_TAG, '!!')} is not used in manifests.", node.start_mark.line + 1)
    if not isinstance(node, yaml.MappingNode):
        return
    names = set()
    for key, _ in node.value:
        line = key.start_mark.line + 1
        if key.tag not in (f"{_TAG}str", _MERGE):
            shown = key.value if isinstance(key, yaml.ScalarNode) else "A list"
            raise NotYaml(f"{shown[:100]} is no text, and so no name: quote it.", line)
        if key.value in names:
            raise NotYaml(f"{key.value[:100]} stands there twice.", line)
        names.add(key.value)


def _below(node: yaml.Node) -> Iterator[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        yield from (value for _, value in node.value)
    elif isinstance(node, yaml.SequenceNode):
        yield from node.value


def _lines(node: yaml.Node, path: str) -> Iterator[tuple[str, int]]:
    """Called when the document was made: merged mappings are flat by then."""
    yield path, node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _lines(value, f"{path}.{key.value}" if path else key.value)
    elif isinstance(node, yaml.SequenceNode):
        for n, value in enumerate(node.value):
            yield from _lines(value, f"{path}[{n}]")
