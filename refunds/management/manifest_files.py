"""Manifests out of files: YAML with one or several documents, or JSON; a folder, or what is piped in."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from orders.errors import Problem
from orders.locks import LockNotHad
from orders.rest.bodies import LIMIT_BYTES, parse_json
from orders.rest.problems import Unreadable
from refunds.declared.envelope import Declared, checked, read_manifest
from refunds.declared.reading import Violation
from refunds.management.yaml_form import Document, NotYaml, load

#: As much as the API takes.
LARGEST_BYTES = LIMIT_BYTES
#: What a service may answer.
REFUSALS = (Problem, LockNotHad)
SUFFIXES = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True)
class Written:
    """One document of a file. `declared` None: `wrong` says why, each with its place."""

    source: str
    line: int
    declared: Declared | None
    wrong: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        declared = self.declared
        return f"{declared.kind.lower()}/{declared.name}" if declared else f"{self.source}:{self.line}"


@dataclass(slots=True)
class Files:
    """What was found in all of them, and what is wrong with those that cannot be read at all."""

    written: list[Written] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def read_files(names: Sequence[str]) -> Files:
    """Of each file all or nothing is read; `-` is what is piped in, a folder is the manifests right in it."""
    files = Files()
    for name in names:
        try:
            for source, raw in _contents(name):
                _read(source, raw, files)
        except NotYaml as error:
            files.wrong.append(_at(name, error))
        except OSError as error:
            files.wrong.append(f"{name}: {error.strerror or error}.")
    return files


def documents(name: str) -> list[Any]:
    """What is written in one file, or piped in, not read as manifests yet. CommandError where it cannot be."""
    try:
        return [document.value for source, raw in _contents(name) for document in _documents(source, raw)]
    except OSError as error:
        raise CommandError(f"{name}: {error.strerror or error}.") from error
    except NotYaml as error:
        raise CommandError(_at(name, error)) from error


def _contents(name: str) -> Iterator[tuple[str, bytes]]:
    path = Path(name)
    if name == "-":
        yield "standard input", sys.stdin.buffer.read(LARGEST_BYTES + 1)
    elif path.is_dir():
        yield from ((str(below), _bytes(below)) for below in _within(path))
    else:
        yield name, _bytes(path)


def _within(folder: Path) -> list[Path]:
    """Raises NotYaml where no file is one of manifests."""
    if found := [below for below in sorted(folder.iterdir()) if below.suffix in SUFFIXES and below.is_file()]:
        return found
    raise NotYaml(f"No file right in this folder ends with {', '.join(SUFFIXES)}.")


def _bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(LARGEST_BYTES + 1)


def _read(source: str, raw: bytes, files: Files) -> None:
    try:
        files.written += [_written(source, document) for document in _documents(source, raw)]
    except NotYaml as error:
        files.wrong.append(_at(source, error))


def _at(source: str, error: NotYaml) -> str:
    return f"{source}{f':{error.line}' if error.line else ''}: {error.detail}"


def _documents(source: str, raw: bytes) -> list[Document]:
    """A list stands for its items. Raises NotYaml."""
    if len(raw) > LARGEST_BYTES:
        raise NotYaml(f"It is larger than {LARGEST_BYTES} bytes.")
    found = [one for document in _parsed(source, raw) for one in _items(document)]
    if not found:
        raise NotYaml("There is no manifest in it.")
    return found


def _parsed(source: str, raw: bytes) -> list[Document]:
    """What begins like JSON is read as such; where it is none, it can still be YAML in the flow style."""
    if raw.lstrip()[:1] in (b"{", b"[") or source.endswith(".json"):
        try:
            return [Document(parse_json(raw, what="The file"), 1, {})]
        except Unreadable as problem:
            if source.endswith(".json"):
                raise NotYaml(problem.detail) from None
    try:
        return load(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise NotYaml("It is not UTF-8.", raw.count(b"\n", 0, error.start) + 1) from None


def _items(document: Document) -> Iterator[Document]:
    if not isinstance(document.value, list):
        yield document
        return
    for n, value in enumerate(document.value):
        prefix = f"[{n}]"
        below = {p.removeprefix(prefix).lstrip("."): at for p, at in document.lines.items() if p.startswith(prefix)}
        yield Document(value, document.line_of(prefix), below)


def _written(source: str, document: Document) -> Written:
    declared, found = read_manifest(document.value)
    found = checked(declared) if declared else found
    wrong = tuple(_told(source, document, violation) for violation in found)
    return Written(source, document.line, declared, wrong)


def _told(source: str, document: Document, violation: Violation) -> str:
    path = f"{violation.path}: " if violation.path else ""
    return f"{source}:{document.line_of(violation.path)}: {path}{violation.detail}"


def told(refusal: Problem | LockNotHad) -> str:
    """A refusal as a command says it."""
    fields = refusal.errors if isinstance(refusal, Problem) else ()
    return "; ".join(f"{e.field}: {e.detail}" for e in fields) or str(refusal)
