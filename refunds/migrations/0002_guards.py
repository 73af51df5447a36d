"""What must never happen, refused by the database; and room on hot pages for updates in place."""

from django.db import migrations

GUARDS = """
CREATE FUNCTION refundry_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON refunds_refundevent
    FOR EACH ROW EXECUTE FUNCTION refundry_append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON refunds_ledgerentry
    FOR EACH ROW EXECUTE FUNCTION refundry_append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON refunds_policyversion
    FOR EACH ROW EXECUTE FUNCTION refundry_append_only();

CREATE FUNCTION refundry_movement_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'movement % has been sent: its amount, currency, payment and number are frozen', OLD.number
        USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER frozen_once_sent BEFORE UPDATE ON refunds_gatewayrefund
    FOR EACH ROW WHEN (OLD.first_sent_at IS NOT NULL AND (OLD.amount_minor, OLD.currency, OLD.share_id, OLD.number)
        IS DISTINCT FROM (NEW.amount_minor, NEW.currency, NEW.share_id, NEW.number))
    EXECUTE FUNCTION refundry_movement_frozen();

ALTER TABLE refunds_refund SET (fillfactor = 70);
ALTER TABLE refunds_gatewayrefund SET (fillfactor = 70);
ALTER TABLE refunds_notification SET (fillfactor = 70);
ALTER TABLE orders_order SET (fillfactor = 80);
ALTER TABLE orders_orderline SET (fillfactor = 80);
ALTER TABLE orders_paymentshare SET (fillfactor = 70);
"""
UNDO = """
DROP TRIGGER frozen_once_sent ON refunds_gatewayrefund;
DROP FUNCTION refundry_movement_frozen();
DROP TRIGGER append_only ON refunds_policyversion;
DROP TRIGGER append_only ON refunds_ledgerentry;
DROP TRIGGER append_only ON refunds_refundevent;
DROP FUNCTION refundry_append_only();
"""


class Migration(migrations.Migration):
    dependencies = [("refunds", "0001_cases")]
    operations = [migrations.RunSQL(GUARDS, UNDO)]
