"""A digest of every row of ours: equal before and after when nothing has changed."""

from functools import cache

from django.apps import apps
from django.db import connection

from tests.planned import planned

_DIGEST = "SELECT '{0}', md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) FROM {0} t"


def fingerprint() -> dict[str, str]:
    """By table, in one statement, which the server plans once."""
    connection.ensure_connection()
    return dict(planned(connection.connection, "fingerprint", _statement(), {}).fetchall())


@cache
def _statement() -> str:
    models = [model for app in ("orders", "refunds") for model in apps.get_app_config(app).get_models()]
    return " UNION ALL ".join(_DIGEST.format(model._meta.db_table) for model in models)
