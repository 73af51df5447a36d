"""What must never happen, refused by the database; and room on hot pages for updates in place."""

from django.db import migrations

APPEND_ONLY = """
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
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON refunds_storecreditentry
    FOR EACH ROW EXECUTE FUNCTION refundry_append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON refunds_dayclose
    FOR EACH ROW EXECUTE FUNCTION refundry_append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON refunds_creditnote
    FOR EACH ROW EXECUTE FUNCTION refundry_append_only();
"""
MOVEMENTS = """
CREATE FUNCTION refundry_movement_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'movement % has been sent: its amount, currency, payment and number are frozen', OLD.number
        USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER frozen_once_sent BEFORE UPDATE ON refunds_gatewayrefund
    FOR EACH ROW WHEN (OLD.first_sent_at IS NOT NULL
        AND (OLD.amount_minor, OLD.currency, OLD.share_id, OLD.number, OLD.target)
        IS DISTINCT FROM (NEW.amount_minor, NEW.currency, NEW.share_id, NEW.number, NEW.target))
    EXECUTE FUNCTION refundry_movement_frozen();

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
ROOM = """
ALTER TABLE refunds_refund SET (fillfactor = 70);
ALTER TABLE refunds_gatewayrefund SET (fillfactor = 70);
ALTER TABLE refunds_notification SET (fillfactor = 70);
ALTER TABLE refunds_pickup SET (fillfactor = 80);
ALTER TABLE orders_order SET (fillfactor = 80);
ALTER TABLE orders_orderline SET (fillfactor = 80);
ALTER TABLE orders_paymentshare SET (fillfactor = 70);
ALTER TABLE orders_shipment SET (fillfactor = 80);
"""


class Migration(migrations.Migration):
    replaces = [("refunds", "0022_claimed_within_captured")]
    dependencies = [("refunds", "0002_around")]
    operations = [migrations.RunSQL(APPEND_ONLY), migrations.RunSQL(MOVEMENTS), migrations.RunSQL(ROOM)]
