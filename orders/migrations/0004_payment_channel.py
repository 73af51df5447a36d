"""A payment belongs to a channel; one that stands already, to the channel of the order that shared it first."""

import django.db.models.deletion
from django.db import migrations, models

CHANNELS = """
UPDATE orders_payment payment SET channel_id = first_order.channel_id
FROM (
    SELECT DISTINCT ON (share.payment_id) share.payment_id, of.channel_id
    FROM orders_paymentshare share JOIN orders_order of ON of.id = share.order_id
    ORDER BY share.payment_id, share.id
) first_order
WHERE first_order.payment_id = payment.id;
DELETE FROM orders_payment WHERE channel_id IS NULL;
SET CONSTRAINTS ALL IMMEDIATE;
"""
CHANNEL = {"on_delete": django.db.models.deletion.PROTECT, "to": "orders.channel", "db_index": False}


class Migration(migrations.Migration):
    dependencies = [("orders", "0003_returns")]
    operations = [
        migrations.AddField("payment", "channel", models.ForeignKey(null=True, **CHANNEL)),
        migrations.RunSQL(CHANNELS, migrations.RunSQL.noop),
        migrations.AlterField("payment", "channel", models.ForeignKey(**CHANNEL)),
    ]
