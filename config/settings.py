"""Settings: the one place that reads the environment."""

import re
from pathlib import Path

import environ
from csp import constants as csp
from django.core.exceptions import ImproperlyConfigured

from config.hosts import AllowedHosts
from config.logs import logging_config
from refunds.console.look import UNFOLD as UNFOLD

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()

# --- Web
DEBUG = env.bool("DEBUG", default=False)
SECRET_KEY = env.str("SECRET_KEY", default="insecure-development-key") if DEBUG else env.str("SECRET_KEY")
OWN_HOSTS = tuple(env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost"]))  # no channel can have one of them
ALLOWED_HOSTS = AllowedHosts(OWN_HOSTS)
BASE_URL = env.str("BASE_URL", default="http://127.0.0.1:8000")
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
DEMO_FILE = env.str("DEMO_FILE", default="")  # a demo's keys and passwords, shown on the front page; only for a demo
APPEND_SLASH = False

# Cookies of the console are never sent in clear where the installation is reached by https.
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = BASE_URL.startswith("https:")
SESSION_COOKIE_AGE = 12 * 3600
LOGIN_REDIRECT_URL = "console:index"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
CSRF_FAILURE_VIEW = "config.errors.not_from_here"
# Behind a proxy: the header in which it names the caller's address, such as X-Real-IP. Attempts are counted by it.
CLIENT_ADDRESS_HEADER = env.str("CLIENT_ADDRESS_HEADER", default="")

INSTALLED_APPS = [
    "unfold",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "csp",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
    "orders.apps.OrdersConfig",
    "refunds.apps.RefundsConfig",
]
MIDDLEWARE = [
    "config.arriving.Arriving",
    "django.middleware.security.SecurityMiddleware",
    "config.methods.Methods",
    "config.lanes.Lanes",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "csp.middleware.CSPMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
# Everything comes from this host, and nothing inline runs. The console relaxes it for its own pages.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [csp.SELF],
        "base-uri": [csp.NONE],
        "img-src": [csp.SELF, "data:"],  # the little arrows of Pico's style sheet
        "form-action": [csp.SELF],
        "frame-ancestors": [csp.NONE],
        "object-src": [csp.NONE],
    }
}

# --- Watching
LOGGING = logging_config(env.str("LOG_FORMAT", default="text"))  # text or json
# Whoever brings it may read /metrics. Without one only this machine may, and only while BASE_URL is this machine's.
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")

# --- REST
REST_FRAMEWORK: dict[str, object] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_METADATA_CLASS": None,
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "orders.rest.problems.handle",
    "UNAUTHENTICATED_USER": None,
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Refundry",
    "VERSION": "1",
    "DESCRIPTION": "Declare a refund; the engine carries it to its end. Money is in minor units, times are RFC 3339.",
    "OAS_VERSION": "3.1.0",
    "SERVE_AUTHENTICATION": [],
    "SERVE_INCLUDE_SCHEMA": False,
    "ENUM_NAME_OVERRIDES": {
        "RefundState": "refunds.states.RefundState",
        "MovementState": "refunds.states.MovementState",
        "NotificationState": "refunds.states.NotificationState",
        "HookState": "refunds.states.HookState",
    },
}

# --- Rows
DATABASES = {"default": env.db_url("DATABASE_URL", default="postgresql://refundry@127.0.0.1/refundry")}
DATABASES["default"]["ENGINE"] = "config.database"
DATABASES["default"]["CONN_MAX_AGE"] = 600
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DATABASES["default"].setdefault("OPTIONS", {}).update(
    prepare_threshold=None,  # refunds/prepared.py prepares
    # A frozen process must not keep the order locks it holds.
    options=f"-c idle_in_transaction_session_timeout={env.int('IDLE_LOCK_SECONDS', default=10)}s",
)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Language and time
TIME_ZONE = "UTC"
USE_TZ = True
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [BASE_DIR / "locale"]

STATIC_URL = "/static/"

WHITENOISE_USE_FINDERS = True  # nothing has to be collected

# --- Redis and Celery
REDIS_URL = env.str("REDIS_URL", default="redis://127.0.0.1:6379/0")
CACHES = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}}
CELERY_BROKER_URL = env.str("BROKER_URL", default=REDIS_URL)
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_PUBLISH_RETRY_POLICY = {
    "max_retries": 1,
    "interval_start": 0,
    "interval_step": 0.1,
    "interval_max": 0.2,
}
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_MAX_TASKS_PER_CHILD = 10_000
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BROKER_CONNECTION_TIMEOUT = 2

# --- Engine, in seconds unless said otherwise
PUMPS = env.int("PUMPS", default=2)  # pumps at once, over all workers
PUMP_SECONDS = env.float("PUMP_SECONDS", default=20)
LINGER_SECONDS = env.float("LINGER_SECONDS", default=5)
LEASE_SECONDS = env.float("LEASE_SECONDS", default=5)
CALL_SECONDS = env.float("CALL_SECONDS", default=10)  # total deadline of one outside call
RETRY_SECONDS = env.float("RETRY_SECONDS", default=10)  # business back-off: first, and doubled up to the cap
RETRY_CAP_SECONDS = env.float("RETRY_CAP_SECONDS", default=600)
SETTLE_SECONDS = env.float("SETTLE_SECONDS", default=5)  # until a gateway's "absent" may be believed
REGISTRY_SECONDS = env.float("REGISTRY_SECONDS", default=1)  # between two looks of a web process at the channels
SWEEP_SECONDS = env.float("SWEEP_SECONDS", default=1)
SCAN_SECONDS = env.float("SCAN_SECONDS", default=300)  # between two readings of a gateway's own list of refunds
SCAN_OVERLAP_SECONDS = env.float("SCAN_OVERLAP_SECONDS", default=3600)  # so late a refund may appear in that list
HARD_LIMIT_SECONDS = env.float("HARD_LIMIT_SECONDS", default=60)
BATCH = env.int("BATCH", default=100)  # keys per batch
SLOTS = env.int("SLOTS", default=2 * BATCH)  # call threads per pump, as far as needed; half of them for one account
# Mails, and SMS, under way at once: no server knows one again, so a pump that is killed repeats what it had in hand.
MESSAGE_SLOTS = env.int("MESSAGE_SLOTS", default=32)
CELERY_TASK_TIME_LIMIT = HARD_LIMIT_SECONDS
if CELERY_BROKER_URL.startswith(("redis://", "rediss://", "unix://")):
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        # What a killed worker has not acknowledged comes again then: long after the last task that had it has ended.
        "visibility_timeout": 5 * HARD_LIMIT_SECONDS,
        "unacked_restore_throttle": 1,  # look for it every 10 s
        "socket_timeout": 10,
        "socket_connect_timeout": 2,
        "socket_keepalive": True,
        "health_check_interval": 10,
    }
# What waited for a worker that was away is worth nothing; a minute forgives clocks that differ.
CELERY_BEAT_SCHEDULE = {
    "sweep": {"task": "workers.tasks.sweep", "schedule": SWEEP_SECONDS, "options": {"expires": 60}},
    "top-up": {"task": "workers.tasks.top_up", "schedule": 1.0, "options": {"expires": 60}},
    "check-ledger": {"task": "workers.tasks.check_ledger", "schedule": 60.0, "options": {"expires": 60}},
    "close-books": {"task": "workers.tasks.close_books", "schedule": 600.0, "options": {"expires": 600}},
}

# --- Outside parties
# Installations that share a merchant account tell their refunds apart by it: outside development it has no default.
NUMBER_PREFIX = env.str("NUMBER_PREFIX", default="RF") if DEBUG else env.str("NUMBER_PREFIX")
if not re.fullmatch("[A-Za-z0-9_]{1,12}", NUMBER_PREFIX, re.ASCII):
    # What follows a hyphen is a channel's: RF-FH-1042.
    raise ImproperlyConfigured("NUMBER_PREFIX: 1 to 12 letters, digits and underscores")
GATEWAY_ACCOUNTS = env.json("GATEWAY_ACCOUNTS", default={})
GATEWAY_LIMITS = "workers.bootstrap.limits_of"
# Which secrets channels may refer to in their manifests: patterns of references.
DECLARED_SECRETS = env.list("DECLARED_SECRETS", default=["env:SHOP_{CHANNEL}__*", "file:/run/secrets/{channel}/*"])
DECLARED_ACCOUNTS_SECONDS = 1.0  # between two looks of a process at the accounts that channels declare
COURIER_ACCOUNTS = env.json("COURIER_ACCOUNTS", default={})
COURIER: str = env.str(
    "COURIER", default=next(iter(COURIER_ACCOUNTS), "courier")
)  # who fetches where nothing names another
if shared_names := GATEWAY_ACCOUNTS.keys() & COURIER_ACCOUNTS.keys():
    # Their webhooks come to one door, by the account's name.
    raise ImproperlyConfigured(f"accounts of a gateway and of a courier at once: {', '.join(sorted(shared_names))}")
EMAIL_URL = env.str("EMAIL_URL", default="smtp://127.0.0.1:25")
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="refunds@localhost")
# For development: webhooks to addresses that are not public, and by plain http.
WEBHOOKS_ALLOW_PRIVATE = env.bool("WEBHOOKS_ALLOW_PRIVATE", default=False)
SMS_URL = env.str("SMS_URL", default="")
SMS_SECRET = env.str("SMS_SECRET", default="")
vars().update(env.email_url("EMAIL_URL", default=EMAIL_URL))
