"""Orders that replace the goods of a refund, and what of their money was paid for those."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('orders', '0015_principal_left'),
    ]

    operations = [
        migrations.AddField(
            model_name='order',
            name='replaces',
            field=models.CharField(blank=True, default='', max_length=40),
        ),
        migrations.AddField(
            model_name='paymentshare',
            name='carried_minor',
            field=models.BigIntegerField(default=0),
        ),
        migrations.AddConstraint(
            model_name='order',
            constraint=models.UniqueConstraint(condition=models.Q(('replaces', ''), _negated=True), fields=('replaces',), name='order_replaces_once'),
        ),
        migrations.AddConstraint(
            model_name='paymentshare',
            constraint=models.CheckConstraint(condition=models.Q(('captured_minor__gte', models.F('carried_minor')), ('carried_minor__gte', 0)), name='payment_carried_within_captured'),
        ),
    ]
