"""What a run keeps of its caller's environment: nothing that configures the product, its servers or its libraries.

Shops keep the settings of theirs in the shell: a run would send real mails, take the tasks of a foreign broker, or
measure something else than what is shipped.
"""

import re
from collections.abc import MutableMapping
from fnmatch import fnmatchcase
from pathlib import Path

KEPT = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "LC_*", "TZ", "TMPDIR")
KEPT += ("VIRTUAL_ENV", "PYTHON*", "LD_LIBRARY_PATH", "BENCHMARK_*")
#: Beside the names in config/settings.py, what somebody who set it will look for in the figures.
TOLD = ("SANDBOX_*", "PG*", "CELERY_*", "DJANGO_*", "GUNICORN_*")
_SETTINGS = Path(__file__).parent.parent / "config" / "settings.py"


def leave_behind(environment: MutableMapping[str, str]) -> list[str]:
    """Remove what is not kept; the names among it that would have changed the product, sorted."""
    removed = [name for name in environment if not _is_any(name, KEPT)]
    for name in removed:
        del environment[name]
    ours = set(re.findall(r'\benv\.\w+\(\s*"(\w+)"', _SETTINGS.read_text(encoding="utf-8")))
    return sorted(name for name in removed if name in ours or _is_any(name, TOLD))


def _is_any(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
