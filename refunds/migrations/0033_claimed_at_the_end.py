"""What a claim may be of is judged once its statement is through: the share it is taken from may be written by the same
one, before or after it (a statement's WITH parts run in no stated order)."""

from django.db import migrations

_WHEN = """
    FOR EACH ROW WHEN (OLD.call = 'idle' AND NEW.call = 'sent' AND NEW.sent_at IS NOT NULL AND NEW.kind = 'refund')
    EXECUTE FUNCTION refundry_claim_within_captured();
"""


def _trigger(when: str) -> str:
    return f"""
DROP TRIGGER claimed_within_captured ON refunds_gatewayrefund;
CREATE TRIGGER claimed_within_captured {when} UPDATE ON refunds_gatewayrefund {_WHEN}
"""


class Migration(migrations.Migration):
    dependencies = [("refunds", "0032_vacuum")]
    operations = [migrations.RunSQL(_trigger("AFTER"), _trigger("BEFORE"))]
