"""Store credit of an e-mail address is told from that of a customer's reference, whatever a reference looks like."""

from django.db import migrations, models

#: An account is of an address unless an order that was credited there states that very name as its reference.
BY_EMAIL = """
UPDATE refunds_storecreditaccount a SET by_email = true
WHERE a.holder LIKE '%@%' AND a.holder = lower(a.holder) AND NOT EXISTS (
    SELECT FROM refunds_storecreditentry e
    JOIN refunds_gatewayrefund m ON m.number = e.number
    JOIN refunds_refund r ON r.id = m.refund_id
    JOIN orders_order o ON o.id = r.order_id
    WHERE e.account_id = a.id AND e.kind = 'refund' AND o.customer_reference = a.holder
)
"""


class Migration(migrations.Migration):
    dependencies = [("refunds", "0003_guards")]
    operations = [
        migrations.AddField("storecreditaccount", "by_email", models.BooleanField(default=False)),
        migrations.RunSQL(BY_EMAIL, migrations.RunSQL.noop),
        migrations.RemoveConstraint("storecreditaccount", "store_credit_account_once"),
        migrations.AddConstraint(
            "storecreditaccount",
            models.UniqueConstraint(
                fields=("channel", "holder", "by_email", "currency"), name="store_credit_account_once"
            ),
        ),
    ]
