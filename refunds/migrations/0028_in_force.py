"""The newest version of each policy is the one that new refunds were pinned to; versions of manifests only grow."""

from django.db import migrations

IN_FORCE = """
INSERT INTO refunds_policyinforce (name, version_id)
SELECT DISTINCT ON (name) name, id FROM refunds_policyversion ORDER BY name, generation DESC
"""
APPEND_ONLY = """
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON refunds_manifestversion
FOR EACH ROW EXECUTE FUNCTION refundry_append_only();
"""


class Migration(migrations.Migration):

    dependencies = [
        ('refunds', '0027_manifests'),
    ]

    operations = [
        migrations.RunSQL(IN_FORCE, migrations.RunSQL.noop),
        migrations.RunSQL(APPEND_ONLY, "DROP TRIGGER append_only ON refunds_manifestversion"),
    ]
