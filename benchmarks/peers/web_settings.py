"""Settings of the peers' web process: the product's, with nothing in the way that a peer does not use.

No middleware, and no ping of a kept connection before its first query; what is in doubt is decided for the peer.
"""

from config.settings import *  # noqa: F403
from config.settings import DATABASES

DATABASES["default"]["CONN_HEALTH_CHECKS"] = False
MIDDLEWARE: list[str] = []
ROOT_URLCONF = "benchmarks.peers.web"
