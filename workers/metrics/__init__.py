"""What Prometheus reads at `/metrics`, right from whichever process answers.

Nothing is kept in a process: the queue's scripts and the pumps count into Redis, the rest is read from the rows.
"""

from workers.metrics.exporter import CONTENT_TYPE, scrape

__all__ = ["CONTENT_TYPE", "scrape"]
