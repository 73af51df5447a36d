"""The WSGI application that gunicorn serves."""

import os
from importlib import import_module

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_wsgi_application()
# Loaded before the first request, which would wait for it, and once for all processes that are forked from this one.
import_module("config.urls")
import_module("config.serving").serve_channels()
