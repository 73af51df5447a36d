"""Another one of the same instead of the money."""

import refunds.states
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('orders', '0016_replacing'),
        ('refunds', '0025_proof'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='gatewayrefund',
            name='movement_kind_known',
        ),
        migrations.RemoveConstraint(
            model_name='ledgerentry',
            name='ledger_kind_known',
        ),
        migrations.AddField(
            model_name='refund',
            name='remedy',
            field=models.CharField(default=refunds.states.Remedy['MONEY'], max_length=12),
        ),
        migrations.AddField(
            model_name='refund',
            name='replaced_by',
            field=models.CharField(blank=True, default='', max_length=64),
        ),
        migrations.AddConstraint(
            model_name='gatewayrefund',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['refund', 'void', 'dispute', 'exchange'])), name='movement_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='ledgerentry',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ('authorize', 'authorize_ended', 'capture', 'correction', 'reserve', 'release', 'refund', 'external', 'credit', 'exchange', 'carried', 'reversal', 'void', 'dispute', 'dispute_won', 'dispute_lost', 'excess', 'excess_ended'))), name='ledger_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='refund',
            constraint=models.CheckConstraint(condition=models.Q(('remedy__in', ['money', 'replacement'])), name='refund_remedy_known'),
        ),
    ]
