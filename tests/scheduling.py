"""How xdist spreads the tests over its workers: as `--dist loadgroup` says, without counting again what is done."""

import pytest
from xdist.scheduler import LoadGroupScheduling


class Scheduling(LoadGroupScheduling):
    """Its own goes through every test that was done after each one more: a third of a core at the end of a long run."""

    def _pending_of(self, workload: dict[str, dict[str, bool]]) -> int:
        for scope in [scope for scope, tests in workload.items() if all(tests.values())]:
            del workload[scope]
        return super()._pending_of(workload)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Scheduling | None:
    return Scheduling(config, log) if config.getvalue("dist") == "loadgroup" else None
