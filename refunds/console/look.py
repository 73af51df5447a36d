"""How unfold is dressed. Read by the settings, so nothing here may need an app: what does is named by its path."""

from typing import Any

from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse


def stylesheet(request: HttpRequest) -> str:
    return static("refundry/console.css")


def icon(request: HttpRequest) -> str:
    return static("refundry/icon.svg")


def script(request: HttpRequest) -> str:
    return static("refundry/console.js")


def language_address(request: HttpRequest) -> str:
    return reverse("console:language")


UNFOLD: dict[str, Any] = {
    "SITE_TITLE": "Refundry",
    "SITE_HEADER": "Refundry",
    "SITE_SYMBOL": "currency_exchange",
    "SITE_URL": "/",
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": icon}],
    "SHOW_LANGUAGES": True,
    "LANGUAGES": {"action": language_address},
    "THEME": "light",
    "STYLES": [stylesheet],
    "SCRIPTS": [script],
    "SIDEBAR": {"navigation": "refunds.console.navigation.sidebar"},
    "COLORS": {
        "primary": {
            "50": "oklch(98.4% .014 180.7)",
            "100": "oklch(95.3% .051 180.8)",
            "200": "oklch(91% .096 180.4)",
            "300": "oklch(85.5% .138 181.1)",
            "400": "oklch(77.7% .152 181.9)",
            "500": "oklch(60% .118 184.7)",
            "600": "oklch(51.1% .096 186.4)",
            "700": "oklch(43.7% .078 188.2)",
            "800": "oklch(38.6% .063 188.4)",
            "900": "oklch(32% .05 188.4)",
            "950": "oklch(27.7% .046 192.5)",
        }
    },
}
