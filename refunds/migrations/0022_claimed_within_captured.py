"""No refund is sent of money that was not captured: a claim beyond it is refused."""

from django.db import migrations

GUARD = """
CREATE FUNCTION refundry_claim_within_captured() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.amount_minor > (SELECT captured_minor - refunded_minor - disputed_minor + excess_minor
                           FROM orders_paymentshare WHERE id = NEW.share_id) THEN
        RAISE EXCEPTION 'movement % is of more than was captured and has not gone', NEW.number
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER claimed_within_captured BEFORE UPDATE ON refunds_gatewayrefund
    FOR EACH ROW WHEN (OLD.call = 'idle' AND NEW.call = 'sent' AND NEW.sent_at IS NOT NULL
        AND NEW.kind = 'refund')
    EXECUTE FUNCTION refundry_claim_within_captured();
"""
UNDO = """
DROP TRIGGER claimed_within_captured ON refunds_gatewayrefund;
DROP FUNCTION refundry_claim_within_captured();
"""


class Migration(migrations.Migration):
    dependencies = [("refunds", "0021_ledger_check"), ("orders", "0012_books")]
    operations = [migrations.RunSQL(GUARD, UNDO)]
