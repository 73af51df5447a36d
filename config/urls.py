"""Every address of the web process."""

from django.urls import include, path, re_path

from config import health
from orders.rest.problems import unknown_address

api_v1 = [
    path("", include("orders.api.urls")),
    path("", include("refunds.urls")),
]
urlpatterns = [
    path("healthz", health.alive),
    path("readyz", health.ready),
    path("api/v1/", include(api_v1)),
    re_path("^api(/|$)", unknown_address),
]
