"""A deployment check: without its compiled catalogue a Chinese customer would silently be written to in English."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import Error, register


@register("messages", deploy=True)
def catalogues_are_compiled(**_: Any) -> list[Error]:
    written = [po for folder in settings.LOCALE_PATHS for po in Path(folder).glob("*/LC_MESSAGES/*.po")]
    missing = [po for po in written if not po.with_suffix(".mo").exists()]
    return [Error(f"{po} is not compiled", hint="Run `make catalogue`.", id="refunds.E001") for po in missing]
