"""Settings of the tuned chain's worker: the product's, with statements that PostgreSQL plans once (server-side binding,
without which Django writes the values into each of them), and kept connections that nobody looks at."""

from config.settings import *  # noqa: F403
from config.settings import DATABASES

DATABASES["default"]["CONN_HEALTH_CHECKS"] = False
DATABASES["default"]["OPTIONS"]["server_side_binding"] = True
DATABASES["default"]["OPTIONS"]["prepare_threshold"] = 2
