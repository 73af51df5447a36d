"""Without its compiled catalogue Chinese reads English; say so once instead of in fifty failures."""

from pathlib import Path

import pytest
from django.conf import settings


@pytest.fixture(autouse=True, scope="session")
def compiled_catalogue() -> None:
    for written in Path(settings.BASE_DIR, "locale").glob("*/LC_MESSAGES/*.po"):
        compiled = written.with_suffix(".mo")
        if not compiled.exists() or compiled.stat().st_mtime < written.stat().st_mtime:
            pytest.fail(f"{compiled} is missing or stale: run `make catalogue`")
