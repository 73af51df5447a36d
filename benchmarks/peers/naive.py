"""The same chain as Celery comes: a database connection for each task (Django's `CONN_MAX_AGE` does nothing there)."""

from benchmarks.peers.tuned import app

app.conf.update(CELERY_DB_REUSE_MAX=None, task_default_queue="naive")
