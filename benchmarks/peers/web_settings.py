"""Settings of the peers' web process: the tuned chain's, with no middleware, for it uses none.

What is in doubt is decided for the peers.
"""

from benchmarks.peers.tuned_settings import *  # noqa: F403

MIDDLEWARE: list[str] = []
ROOT_URLCONF = "benchmarks.peers.web"
