"""Settings of the web process of the chain on DBOS: those of the other peers."""

from benchmarks.peers.web_settings import *  # noqa: F403

ROOT_URLCONF = "benchmarks.peers.dbos_web"
