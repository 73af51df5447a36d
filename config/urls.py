"""Every address of the web process."""

from django.urls import URLPattern, URLResolver, include, path, re_path
from drf_spectacular.views import SpectacularJSONAPIView

from config import health
from orders.rest import problems
from orders.rest.reference import reference

handler400 = handler403 = problems.refused
handler404 = problems.unknown_address
handler500 = problems.failed

api_v1: list[URLPattern | URLResolver] = [
    path("", include("orders.api.urls")),
    path("", include("refunds.urls")),
    path("openapi.json", SpectacularJSONAPIView.as_view()),
    path("schema", SpectacularJSONAPIView.as_view()),
    path("docs", reference),
]
urlpatterns = [
    path("healthz", health.alive),
    path("readyz", health.ready),
    path("api/v1/", include(api_v1)),
    re_path("^api(/|$)", problems.unknown_address),
]
