"""Mutation tests of the pure money modules: `make mutants`, in a copy that is gone afterwards.

Every change mutmut makes to them must be noticed by a test, or be named in docs/money.md with the reason why nobody
could notice it. The tests stay as they are; the random ones run few examples, always the same. `strict` of a zip is
left out in the copy: what is zipped is of one length.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "money.md"
#: What the mutated modules and their tests import.
NEEDED = ("refunds", "orders", "config", "docs", "tests/unit/money")
CONFIG = """[mutmut]
source_paths=
    refunds/money
    refunds/terms.py
also_copy=
    refunds
    orders
    config
    docs
pytest_add_cli_args=
    -p
    no:randomly
    -p
    no:django
    --import-mode=importlib
    --ignore=tests/unit/money/test_amounts.py
    --ignore=tests/unit/money/test_docs.py
    --ignore=tests/unit/money/test_sequences.py
pytest_add_cli_args_test_selection=
    tests/unit/money
max_stack_depth=-1
track_dependencies=false
use_git_change_detection=false

[tool:pytest]
pythonpath=.
"""
CONFTEST = """from hypothesis import HealthCheck, settings
settings.register_profile("mutants", deadline=None, derandomize=True, max_examples=25, database=None,
                          suppress_health_check=list(HealthCheck))
settings.load_profile("mutants")
"""
NAME = re.compile(r"[\w.ǁ]+__mutmut_\d+")
SURVIVED = re.compile(r"^\s*([\w.ǁ]+__mutmut_\d+): (survived|no tests|suspicious)$", re.MULTILINE)


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        home = Path(folder)
        _copy(home)
        env = os.environ | {"EXAMPLES": "25", "PYTHONDONTWRITEBYTECODE": "1"}
        mutmut = [sys.executable, "-m", "mutmut"]
        subprocess.run([*mutmut, "run", "--max-children", "2"], cwd=home, env=env, check=True)
        found = subprocess.run([*mutmut, "results"], cwd=home, env=env, check=True, capture_output=True, text=True)
        survivors = [name for name, _ in SURVIVED.findall(found.stdout)]
        explained = set(NAME.findall(PAGE.read_text()))
        unexplained = [name for name in survivors if name not in explained]
        for name in unexplained:
            subprocess.run([*mutmut, "show", name], cwd=home, env=env, check=False)
    print(f"{len(survivors)} survived, {len(unexplained)} of them unexplained")
    return bool(unexplained)


def _copy(home: Path) -> None:
    for name in NEEDED:
        shutil.copytree(ROOT / name, home / name, ignore=shutil.ignore_patterns("__pycache__", "static", "screenshots"))
    for module in (home / "refunds" / "money").glob("*.py"):
        module.write_text(module.read_text().replace(", strict=True)", ")"))
    (home / "setup.cfg").write_text(CONFIG)
    (home / "tests" / "unit" / "money" / "conftest.py").write_text(CONFTEST)


if __name__ == "__main__":
    sys.exit(main())
