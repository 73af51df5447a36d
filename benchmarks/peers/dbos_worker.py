"""A worker of the chain on DBOS: `python -m benchmarks.peers.dbos_worker --executor dbos-1`.

As DBOS's guide to queue workers has it, one service runs the workflows and another enqueues them. Tuned: the queue is
looked at often, connections are not pinged before each use, and a line is logged only for what goes wrong.
"""

import argparse
import os
import threading
from importlib import import_module

import django
from dbos import DBOS, DBOSConfig

from benchmarks.peers.dbos_queue import APPLICATION, QUEUE

#: Of each process: workflows at once, and seconds between two looks for more.
AT_ONCE, POLL_SECONDS = 8, 0.05


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--executor", required=True)
    django.setup()
    import_module("benchmarks.peers.dbos_workflows")
    DBOS(config=_config(parser.parse_args().executor))
    DBOS.listen_queues([QUEUE])
    DBOS.launch()
    DBOS.register_queue(QUEUE, worker_concurrency=AT_ONCE, polling_interval_sec=POLL_SECONDS)
    print("dbos ready.", flush=True)
    threading.Event().wait()


def _config(executor: str) -> DBOSConfig:
    named = {"application_name": os.environ["PGAPPNAME"]}
    return {
        "name": APPLICATION,
        "system_database_url": os.environ["DATABASE_URL"],
        "db_engine_kwargs": {"pool_pre_ping": False, "connect_args": named},
        "application_version": "1",
        "executor_id": executor,
        "log_level": "WARNING",
        "run_migrations": False,
    }


if __name__ == "__main__":
    main()
