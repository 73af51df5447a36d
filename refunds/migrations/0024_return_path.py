"""The return path in depth: offers, contests, a thread, a second person, other targets, photos."""

import django.db.models.deletion
import refunds.states
from django.db import migrations, models

#: Whom a movement pays is frozen as well, once it has been sent.
FROZEN = """
DROP TRIGGER frozen_once_sent ON refunds_gatewayrefund;
CREATE TRIGGER frozen_once_sent BEFORE UPDATE ON refunds_gatewayrefund
    FOR EACH ROW WHEN (OLD.first_sent_at IS NOT NULL
        AND (OLD.amount_minor, OLD.currency, OLD.share_id, OLD.number, OLD.target, OLD.payee)
        IS DISTINCT FROM (NEW.amount_minor, NEW.currency, NEW.share_id, NEW.number, NEW.target, NEW.payee))
    EXECUTE FUNCTION refundry_movement_frozen();
"""
AS_BEFORE = """
DROP TRIGGER frozen_once_sent ON refunds_gatewayrefund;
CREATE TRIGGER frozen_once_sent BEFORE UPDATE ON refunds_gatewayrefund
    FOR EACH ROW WHEN (OLD.first_sent_at IS NOT NULL
        AND (OLD.amount_minor, OLD.currency, OLD.share_id, OLD.number, OLD.target)
        IS DISTINCT FROM (NEW.amount_minor, NEW.currency, NEW.share_id, NEW.number, NEW.target))
    EXECUTE FUNCTION refundry_movement_frozen();
"""


class Migration(migrations.Migration):

    dependencies = [
        ('orders', '0014_contact_changed'),
        ('refunds', '0023_credit_by_email'),
    ]

    operations = [
        migrations.CreateModel(
            name='CaseMessage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('author', models.CharField(max_length=60)),
                ('role', models.CharField(max_length=16)),
                ('text', models.TextField()),
                ('created_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='EvidencePhoto',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.SmallIntegerField()),
                ('sha256', models.CharField(max_length=64)),
                ('width', models.IntegerField()),
                ('height', models.IntegerField()),
                ('data', models.BinaryField()),
                ('author', models.CharField(max_length=60)),
                ('role', models.CharField(max_length=16)),
                ('created_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='TargetChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('instrument', models.CharField(max_length=12)),
                ('account', models.CharField(blank=True, default='', max_length=60)),
                ('payee', models.CharField(blank=True, default='', max_length=100)),
                ('payee_name', models.CharField(blank=True, default='', max_length=200)),
                ('proof', models.CharField(blank=True, default='', max_length=200)),
                ('asked_by', models.CharField(max_length=60)),
                ('asked_at', models.DateTimeField()),
                ('code_salt', models.CharField(blank=True, default='', max_length=32)),
                ('code_channel', models.CharField(blank=True, default='', max_length=8)),
                ('code_to', models.CharField(blank=True, default='', max_length=254)),
                ('code_expires_at', models.DateTimeField(null=True)),
                ('trials', models.IntegerField(default=0)),
                ('confirmed_at', models.DateTimeField(null=True)),
                ('ended_at', models.DateTimeField(null=True)),
            ],
        ),
        migrations.AddField(
            model_name='gatewayrefund',
            name='payee',
            field=models.CharField(blank=True, default='', max_length=100),
        ),
        migrations.AddField(
            model_name='refund',
            name='boxes',
            field=models.IntegerField(default=1),
        ),
        migrations.AddField(
            model_name='refund',
            name='way_back',
            field=models.CharField(default='pickup', max_length=8),
        ),
        migrations.AddField(
            model_name='pickup',
            name='drop_off',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='pickup',
            name='label_url',
            field=models.CharField(blank=True, default='', max_length=500),
        ),
        migrations.AddField(
            model_name='refund',
            name='code_until',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='refund',
            name='contest_of',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='refunds.refund'),
        ),
        migrations.AddField(
            model_name='refund',
            name='contest_until',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='refund',
            name='contests',
            field=models.IntegerField(default=0),
        ),
        migrations.AddField(
            model_name='refund',
            name='customer_wrote_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='refund',
            name='held_for',
            field=models.CharField(blank=True, default='', max_length=12),
        ),
        migrations.AddField(
            model_name='refund',
            name='inspected_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='refund',
            name='offer_note',
            field=models.TextField(blank=True, default=''),
        ),
        migrations.AddField(
            model_name='refund',
            name='offered_by',
            field=models.CharField(blank=True, default='', max_length=60),
        ),
        migrations.AddField(
            model_name='refund',
            name='offered_minor',
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='refund',
            name='rejected_by',
            field=models.CharField(blank=True, default='', max_length=60),
        ),
        migrations.AddField(
            model_name='refund',
            name='second_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='refund',
            name='second_by',
            field=models.CharField(blank=True, default='', max_length=60),
        ),
        migrations.AddField(
            model_name='refund',
            name='second_for',
            field=models.CharField(blank=True, default='', max_length=64),
        ),
        migrations.AddField(
            model_name='refund',
            name='second_most_minor',
            field=models.BigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='refund',
            name='target_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='refund',
            name='target_by',
            field=models.CharField(blank=True, default='', max_length=60),
        ),
        migrations.AddField(
            model_name='refundline',
            name='disposition',
            field=models.CharField(blank=True, default='', max_length=12),
        ),
        migrations.AddConstraint(
            model_name='gatewayrefund',
            constraint=models.CheckConstraint(condition=models.Q(('payee', ''), models.Q(('target', ''), _negated=True), _connector='OR'), name='movement_payee_of_an_account'),
        ),
        migrations.AddConstraint(
            model_name='refund',
            constraint=models.CheckConstraint(condition=models.Q(('boxes__gte', 1)), name='refund_comes_in_boxes'),
        ),
        migrations.AddConstraint(
            model_name='refund',
            constraint=models.CheckConstraint(condition=models.Q(('way_back__in', ['pickup', 'drop_off'])), name='refund_way_back_known'),
        ),
        migrations.AddConstraint(
            model_name='refund',
            constraint=models.CheckConstraint(condition=models.Q(('held_for__in', ['', 'customer'])), name='refund_held_for_known'),
        ),
        migrations.AddConstraint(
            model_name='refund',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', refunds.states.RefundState['OFFERED']), _negated=True), models.Q(('offered_minor__gt', 0), ('offered_minor__lte', models.F('amount_minor'))), _connector='OR'), name='refund_offer_within_amount'),
        ),
        migrations.AddField(
            model_name='casemessage',
            name='refund',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='thread', to='refunds.refund'),
        ),
        migrations.AddField(
            model_name='evidencephoto',
            name='refund',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='evidence', to='refunds.refund'),
        ),
        migrations.AddField(
            model_name='targetchange',
            name='refund',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='target_changes', to='refunds.refund'),
        ),
        migrations.AddConstraint(
            model_name='casemessage',
            constraint=models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='case_message_says_something'),
        ),
        migrations.AddConstraint(
            model_name='evidencephoto',
            constraint=models.UniqueConstraint(fields=('refund', 'position'), name='evidence_photo_position_once'),
        ),
        migrations.AddConstraint(
            model_name='evidencephoto',
            constraint=models.UniqueConstraint(fields=('refund', 'sha256'), name='evidence_photo_once'),
        ),
        migrations.AddConstraint(
            model_name='evidencephoto',
            constraint=models.CheckConstraint(condition=models.Q(('position__gte', 1), ('position__lte', 8)), name='evidence_photo_few'),
        ),
        migrations.AddConstraint(
            model_name='targetchange',
            constraint=models.CheckConstraint(condition=models.Q(('instrument__in', ['original', 'store_credit', 'account'])), name='target_instrument_known'),
        ),
        migrations.AddConstraint(
            model_name='targetchange',
            constraint=models.UniqueConstraint(condition=models.Q(('confirmed_at__isnull', True), ('ended_at__isnull', True)), fields=('refund',), name='target_one_open'),
        ),
        migrations.AddConstraint(
            model_name='targetchange',
            constraint=models.CheckConstraint(condition=models.Q(('confirmed_at__isnull', True), ('ended_at__isnull', True), _connector='OR'), name='target_done_or_dropped'),
        ),
        migrations.AddConstraint(
            model_name='targetchange',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('code_channel', ''), ('code_expires_at__isnull', True)), models.Q(('code_channel__in', ['sms', 'email']), ('code_expires_at__isnull', False), models.Q(('code_salt', ''), _negated=True)), _connector='OR'), name='target_code_whole'),
        ),
        migrations.RunSQL(FROZEN, AS_BEFORE),
    ]
