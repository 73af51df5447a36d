"""The business clock and the transaction id of the feed, as SQL functions every process shares."""

from django.db import migrations

CLOCK = """
CREATE TABLE refundry_clock_offset (only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row), shift interval NOT NULL);
CREATE FUNCTION refundry_now() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
    SELECT clock_timestamp() + coalesce((SELECT shift FROM refundry_clock_offset), interval '0')
$$;
CREATE FUNCTION refundry_only_tests_shift_time() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_database() NOT LIKE 'test%' THEN
        RAISE EXCEPTION 'only a test database may shift the business clock';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER only_tests_shift_time BEFORE INSERT OR UPDATE ON refundry_clock_offset
    FOR EACH ROW EXECUTE FUNCTION refundry_only_tests_shift_time();
CREATE FUNCTION refundry_transaction_id() RETURNS bigint LANGUAGE sql VOLATILE AS $$
    SELECT pg_current_xact_id()::text::bigint
$$;
"""
UNDO = """
DROP FUNCTION refundry_transaction_id();
DROP TABLE refundry_clock_offset;
DROP FUNCTION refundry_only_tests_shift_time();
DROP FUNCTION refundry_now();
"""


class Migration(migrations.Migration):
    initial = True
    operations = [migrations.RunSQL(CLOCK, UNDO)]
