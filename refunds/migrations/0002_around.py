"""What is told and heard, what a person must see, store credit, and the books."""

import django.db.models.deletion
import django.db.models.fields.json
import django_fsm
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [
        ('refunds', '0013_paused_queues'), ('refunds', '0014_orphans'), ('refunds', '0015_receipts'),
        ('refunds', '0016_ledger'), ('refunds', '0017_store_credit'), ('refunds', '0018_asked'),
        ('refunds', '0019_books'), ('refunds', '0020_disputes'), ('refunds', '0021_ledger_check'),
    ]

    dependencies = [
        ('orders', '0002_orders'),
        ('refunds', '0001_refunds'),
    ]

    operations = [
        migrations.CreateModel(
            name='Notification',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('call', models.CharField(default='idle', max_length=8)),
                ('call_kind', models.CharField(blank=True, default='', max_length=16)),
                ('attempt', models.IntegerField(default=0)),
                ('sent_at', models.DateTimeField(null=True)),
                ('answer_due_at', models.DateTimeField(null=True)),
                ('asked_at', models.DateTimeField(null=True)),
                ('retry_at', models.DateTimeField(null=True)),
                ('failures', models.IntegerField(default=0)),
                ('last_error', models.CharField(blank=True, default='', max_length=200)),
                ('event_seq', models.IntegerField()),
                ('channel', models.CharField(max_length=8)),
                ('template', models.CharField(max_length=40)),
                ('state', django_fsm.FSMField(choices=[('pending', 'pending'), ('sent', 'sent'), ('failed', 'failed')], default='pending', max_length=24, protected=True)),
                ('provider_id', models.CharField(blank=True, default='', max_length=200)),
                ('language', models.CharField(blank=True, default='', max_length=16)),
                ('recipient', models.CharField(blank=True, default='', max_length=254)),
                ('next_reconcile_at', models.DateTimeField(null=True)),
                ('created_at', models.DateTimeField()),
                ('sent_to_provider_at', models.DateTimeField(null=True)),
                ('refund', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='notifications', to='refunds.refund')),
                ('order', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='orders.order')),
            ],
            options={
                'indexes': [
                    models.Index(condition=models.Q(('next_reconcile_at__isnull', False)), fields=['next_reconcile_at', 'id'], name='notification_due'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('refund', 'event_seq', 'channel'), name='notification_once'),
                    models.CheckConstraint(condition=models.Q(('state__in', ['pending', 'sent', 'failed'])), name='notification_state_known'),
                    models.CheckConstraint(condition=models.Q(('channel__in', ['email', 'sms'])), name='notification_channel_known'),
                    models.CheckConstraint(condition=models.Q(('call__in', ['idle', 'sent', 'unknown'])), name='notification_call_known'),
                    models.CheckConstraint(condition=models.Q(models.Q(('state', 'pending'), _negated=True), ('next_reconcile_at__isnull', False), _connector='OR'), name='notification_pending_has_a_clock'),
                    models.UniqueConstraint(fields=('order', 'event_seq', 'channel'), name='notification_of_order_once'),
                    models.CheckConstraint(condition=models.Q(models.Q(('order__isnull', True), ('refund__isnull', False)), models.Q(('order__isnull', False), ('refund__isnull', True)), _connector='OR'), name='notification_about_one_thing'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Incident',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=40)),
                ('data', models.JSONField(default=dict)),
                ('opened_at', models.DateTimeField()),
                ('due_at', models.DateTimeField()),
                ('closed_at', models.DateTimeField(null=True)),
                ('closed_by', models.CharField(blank=True, default='', max_length=60)),
                ('note', models.TextField(blank=True, default='')),
                ('order', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='incidents', to='orders.order')),
                ('refund', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='incidents', to='refunds.refund')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('closed_at__isnull', True)), fields=('refund', 'kind'), name='incident_open_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='InboundWebhook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('account', models.CharField(max_length=60)),
                ('event_id', models.CharField(max_length=200)),
                ('kind', models.CharField(max_length=40)),
                ('payload', models.JSONField()),
                ('received_at', models.DateTimeField()),
                ('applied_at', models.DateTimeField(null=True)),
                ('refund', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, to='refunds.refund')),
            ],
            options={
                'indexes': [
                    models.Index(condition=models.Q(('applied_at__isnull', True), ('refund__isnull', False)), fields=['refund'], name='webhook_unapplied'),
                    models.Index(django.db.models.fields.json.KeyTextTransform('waybill', 'payload'), condition=models.Q(('applied_at__isnull', True), ('kind', 'parcel.updated'), ('refund__isnull', True)), name='webhook_waybill_unknown'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('account', 'event_id'), name='webhook_event_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='PausedQueue',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=40)),
                ('paused_at', models.DateTimeField()),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('name',), name='queue_paused_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='GatewayScan',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('account', models.CharField(max_length=60)),
                ('since', models.DateTimeField()),
                ('cursor', models.TextField(blank=True, default='')),
                ('window_at', models.DateTimeField(null=True)),
                ('claims', models.BigIntegerField(default=0)),
                ('next_scan_at', models.DateTimeField()),
                ('failures', models.IntegerField(default=0)),
                ('last_error', models.CharField(blank=True, default='', max_length=200)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('account',), name='scan_once_per_account'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Orphan',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('refund', 'Refund'), ('pickup', 'Pickup'), ('dispute', 'Dispute')], max_length=8)),
                ('account', models.CharField(max_length=60)),
                ('reference', models.CharField(max_length=200)),
                ('number', models.CharField(blank=True, default='', max_length=200)),
                ('payment_reference', models.CharField(blank=True, default='', max_length=200)),
                ('status', models.CharField(max_length=12)),
                ('amount_minor', models.BigIntegerField(default=0)),
                ('currency', models.CharField(blank=True, default='', max_length=200)),
                ('state', models.CharField(choices=[('open', 'Open'), ('adopted', 'Adopted'), ('foreign', 'Foreign'), ('called_off', 'Called Off'), ('stands', 'Stands')], default='open', max_length=12)),
                ('next_reconcile_at', models.DateTimeField(null=True)),
                ('failures', models.IntegerField(default=0)),
                ('last_error', models.CharField(blank=True, default='', max_length=200)),
                ('reported_at', models.DateTimeField()),
            ],
            options={
                'indexes': [
                    models.Index(condition=models.Q(('next_reconcile_at__isnull', False)), fields=['next_reconcile_at', 'id'], name='orphan_due'),
                    models.Index(condition=models.Q(('state', 'foreign')), fields=['account', 'payment_reference'], name='orphan_payment_unknown'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('account', 'reference'), name='orphan_once'),
                    models.CheckConstraint(condition=models.Q(('state__in', ['open', 'adopted', 'foreign', 'called_off', 'stands'])), name='orphan_state_known'),
                    models.CheckConstraint(condition=models.Q(models.Q(('state', 'open'), _negated=True), ('next_reconcile_at__isnull', False), _connector='OR'), name='orphan_open_has_a_clock'),
                    models.CheckConstraint(condition=models.Q(('kind__in', ['refund', 'pickup', 'dispute'])), name='orphan_kind_known'),
                ],
            },
        ),
        migrations.CreateModel(
            name='StoreCreditAccount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('holder', models.CharField(max_length=254)),
                ('currency', models.CharField(max_length=3)),
                ('balance_minor', models.BigIntegerField(default=0)),
                ('created_at', models.DateTimeField()),
                ('channel', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, to='orders.channel')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('channel', 'holder', 'currency'), name='store_credit_account_once'),
                    models.CheckConstraint(condition=models.Q(('balance_minor__gte', 0)), name='store_credit_never_negative'),
                ],
            },
        ),
        migrations.CreateModel(
            name='StoreCreditEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=8)),
                ('number', models.CharField(max_length=48)),
                ('amount_minor', models.BigIntegerField()),
                ('reference', models.CharField(blank=True, default='', max_length=200)),
                ('actor', models.CharField(max_length=100)),
                ('occurred_at', models.DateTimeField()),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='refunds.storecreditaccount')),
                ('spend', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='returns', to='refunds.storecreditentry')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('number',), name='store_credit_number_once'),
                    models.CheckConstraint(condition=models.Q(models.Q(('amount_minor__gt', 0), ('kind', 'refund'), ('spend', None)), models.Q(('amount_minor__gt', 0), ('kind', 'return'), ('spend__isnull', False)), models.Q(('amount_minor__lt', 0), ('kind', 'spend'), ('spend', None)), _connector='OR'), name='store_credit_entry_signed'),
                ],
            },
        ),
        migrations.CreateModel(
            name='CreditNote',
            fields=[
                ('refund', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='credit_note', serialize=False, to='refunds.refund')),
                ('number', models.CharField(max_length=64)),
                ('issued_at', models.DateTimeField()),
                ('amount_minor', models.BigIntegerField()),
                ('recorded_at', models.DateTimeField()),
                ('recorded_by', models.CharField(max_length=60)),
            ],
        ),
        migrations.CreateModel(
            name='DayClose',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField()),
                ('time_zone', models.CharField(max_length=64)),
                ('starts_at', models.DateTimeField(null=True)),
                ('ends_at', models.DateTimeField()),
                ('from_transaction', models.BigIntegerField()),
                ('transaction_horizon', models.BigIntegerField()),
                ('entries', models.BigIntegerField()),
                ('sum_minor', models.DecimalField(decimal_places=0, max_digits=30)),
                ('balances', models.JSONField()),
                ('previous_hash', models.CharField(max_length=64)),
                ('hash', models.CharField(max_length=64)),
                ('closed_at', models.DateTimeField()),
                ('channel', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='orders.channel')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('channel', 'day'), name='day_closed_once'),
                    models.CheckConstraint(condition=models.Q(('transaction_horizon__gte', models.F('from_transaction')), models.Q(('starts_at__isnull', True), ('ends_at__gte', models.F('starts_at')), _connector='OR')), name='close_goes_on'),
                ],
            },
        ),
        migrations.CreateModel(
            name='LedgerCheck',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('after_id', models.BigIntegerField(default=0)),
                ('next_at', models.DateTimeField()),
            ],
        ),
    ]
