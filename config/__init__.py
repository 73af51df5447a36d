"""The project's wiring: settings, addresses, WSGI and the Celery app."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
