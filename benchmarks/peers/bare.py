"""The one row of the bare view, in a table without a trigger, a constraint, or a second index."""

from django.db import connection, models


class BareRequest(models.Model):
    order = models.CharField(max_length=64)
    lines = models.JSONField()
    state = models.CharField(max_length=16, default="requested")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        app_label = "benchmarks"


def make_table() -> None:
    """Once per database; a table of an earlier row of the run stays as it is."""
    if BareRequest._meta.db_table not in connection.introspection.table_names():
        with connection.schema_editor() as editor:
            editor.create_model(BareRequest)
