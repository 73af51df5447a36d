"""Every address of the web process."""

from django.urls import URLPattern, URLResolver, include, path, re_path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularJSONAPIView

from config import errors, health
from config.front import front
from orders.rest import problems
from orders.rest.methods import any_method
from orders.rest.reference import reference
from refunds.console.urls import console_urls

handler400 = handler403 = errors.refused
handler404 = errors.unknown_address
handler500 = errors.failed

api_v1: list[URLPattern | URLResolver] = [
    path("", include("refunds.urls")),
    path("", include("orders.api.urls")),
    path("openapi.json", SpectacularJSONAPIView.as_view()),
    path("schema", SpectacularJSONAPIView.as_view()),
    path("docs", reference),
]
urlpatterns = [
    path("api/v1/", include(api_v1)),  # the first, as most is asked of it
    path("", front),
    path("healthz", health.alive),
    path("readyz", health.ready),
    path("metrics", health.metrics),
    path("console", RedirectView.as_view(url="/console/")),
    path("console/", console_urls),
    re_path("^api(/|$)", any_method(problems.unknown_address)),
    path("r", RedirectView.as_view(url="/r/")),
    path("r/", include("refunds.pages.urls")),
]
