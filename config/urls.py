"""Every address of the web process."""

from django.urls import path

from config import health

urlpatterns = [
    path("healthz", health.alive),
    path("readyz", health.ready),
]
