"""Settings of the web process of the chain on procrastinate: its own, with no middleware, for it uses none."""

from benchmarks.peers.procrastinate_settings import *  # noqa: F403

MIDDLEWARE: list[str] = []
ROOT_URLCONF = "benchmarks.peers.procrastinate_web"
