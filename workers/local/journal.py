"""A small durable store for the local peers: rows by kind and id, in memory, every change appended to one file.

What was flushed before an answer is there after a SIGKILL. A half line at the end (a kill while writing) was never
answered for, and is dropped.
"""

import json
from pathlib import Path
from typing import Any

Row = dict[str, Any]


class Journal:
    """Rows of several kinds. One process at a time, one thread."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._kinds: dict[str, dict[str, Row]] = {}
        self._load(path)
        self._file = path.open("a", encoding="utf-8")

    def rows(self, kind: str) -> dict[str, Row]:
        """All rows of a kind in the order of their first appearance. To be read only."""
        return self._kinds.setdefault(kind, {})

    def put(self, kind: str, row_id: str, row: Row) -> Row:
        """Keep the row; durable once `flush` has returned."""
        self.rows(kind)[row_id] = row
        self._file.write(json.dumps([kind, row_id, row], ensure_ascii=True, separators=(",", ":")) + "\n")
        return row

    def change(self, kind: str, row_id: str, **changes: Any) -> Row:
        """Keep the row with some fields changed."""
        return self.put(kind, row_id, {**self.rows(kind)[row_id], **changes})

    def flush(self) -> None:
        """Hand everything put so far to the operating system."""
        self._file.flush()

    def close(self) -> None:
        """Flush and let go of the file."""
        self._file.close()

    def _load(self, path: Path) -> None:
        if not path.exists():
            return
        whole, newline, torn = path.read_bytes().rpartition(b"\n")
        for line in whole.splitlines():
            kind, row_id, row = json.loads(line)
            self.rows(kind)[row_id] = row
        if torn:
            path.write_bytes(whole + newline)
