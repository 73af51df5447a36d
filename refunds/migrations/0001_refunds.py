"""Refunds, how they move money and goods, and what is told of them."""

import django.contrib.postgres.indexes
import django.db.models.deletion
import django_fsm
import refunds.states
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ('refunds', '0001_cases'), ('refunds', '0002_guards'), ('refunds', '0003_excess_ends'),
        ('refunds', '0004_returns'), ('refunds', '0005_pickup_waybill'), ('refunds', '0006_assignee'),
        ('refunds', '0007_unknown_waybills'), ('refunds', '0008_replaced_by'), ('refunds', '0009_failed_ids'),
        ('refunds', '0010_rejection_code'), ('refunds', '0011_refund_stop'), ('refunds', '0012_new_link'),
    ]

    dependencies = [
        ('orders', '0002_orders'),
    ]

    operations = [
        migrations.CreateModel(
            name='PolicyVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.SlugField(max_length=60)),
                ('generation', models.IntegerField()),
                ('spec', models.JSONField()),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('name', 'generation'), name='policy_generation_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Refund',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('request_id', models.BigIntegerField()),
                ('number', models.CharField(max_length=40)),
                ('state', django_fsm.FSMField(choices=[('requested', 'requested'), ('in_review', 'in_review'), ('offered', 'offered'), ('awaiting_return', 'awaiting_return'), ('inspecting', 'inspecting'), ('refunding', 'refunding'), ('refunded', 'refunded'), ('partially_refunded', 'partially_refunded'), ('failed', 'failed'), ('rejected', 'rejected'), ('expired', 'expired'), ('cancelled', 'cancelled')], default='requested', max_length=24, protected=True)),
                ('route', models.CharField(max_length=16)),
                ('goods', models.CharField(default=refunds.states.Goods['RETURN'], max_length=16)),
                ('reason_code', models.CharField(blank=True, default='', max_length=40)),
                ('note', models.TextField(blank=True, default='')),
                ('pickup_address', models.JSONField(null=True)),
                ('requested_by', models.CharField(max_length=60)),
                ('requested_role', models.CharField(max_length=16)),
                ('currency', models.CharField(max_length=3)),
                ('amount_minor', models.BigIntegerField()),
                ('sheet', models.JSONField(default=dict)),
                ('conditions', models.JSONField(default=list)),
                ('generation', models.IntegerField(default=1)),
                ('observed_generation', models.IntegerField(default=0)),
                ('resource_version', models.BigIntegerField(default=1)),
                ('next_reconcile_at', models.DateTimeField(null=True)),
                ('deadline', models.DateTimeField(null=True)),
                ('acknowledged_at', models.DateTimeField(null=True)),
                ('failures', models.IntegerField(default=0)),
                ('event_seq', models.IntegerField(default=0)),
                ('event_head', models.BinaryField(default=b'')),
                ('created_at', models.DateTimeField()),
                ('updated_at', models.DateTimeField()),
                ('finished_at', models.DateTimeField(null=True)),
                ('order', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='refunds', to='orders.order')),
                ('policy_version', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, to='refunds.policyversion')),
                ('approved_at', models.DateTimeField(null=True)),
                ('approved_by', models.CharField(blank=True, default='', max_length=60)),
                ('cancel_wanted_by', models.CharField(blank=True, default='', max_length=60)),
                ('held_from', models.DateTimeField(null=True)),
                ('held_until', models.DateTimeField(null=True)),
                ('received_at', models.DateTimeField(null=True)),
                ('rejection', models.TextField(blank=True, default='')),
                ('reminded_at', models.DateTimeField(null=True)),
                ('assignee', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, to='orders.principal')),
                ('rejection_code', models.CharField(blank=True, default='', max_length=20)),
                ('stop', models.CharField(blank=True, default='', max_length=12)),
                ('initiator', models.CharField(default=refunds.states.Initiator['CUSTOMER'], max_length=8)),
            ],
            options={
                'indexes': [
                    models.Index(condition=models.Q(('next_reconcile_at__isnull', False)), fields=['next_reconcile_at', 'id'], name='refund_due'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('state__in', ['requested', 'in_review', 'offered', 'awaiting_return', 'inspecting', 'refunding', 'refunded', 'partially_refunded', 'failed', 'rejected', 'expired', 'cancelled'])), name='refund_state_known'),
                    models.CheckConstraint(condition=models.Q(('route__in', ['instant', 'intercept', 'pickup', 'refund_only'])), name='refund_route_known'),
                    models.CheckConstraint(condition=models.Q(('goods__in', ['return', 'keep', 'not_received', 'already_sent'])), name='refund_goods_known'),
                    models.CheckConstraint(condition=models.Q(('amount_minor__gte', 0)), name='refund_amount_not_negative'),
                    models.CheckConstraint(condition=models.Q(('state__in', [refunds.states.RefundState['CANCELLED'], refunds.states.RefundState['EXPIRED'], refunds.states.RefundState['PARTIALLY_REFUNDED'], refunds.states.RefundState['REFUNDED'], refunds.states.RefundState['REJECTED']]), ('next_reconcile_at__isnull', False), _connector='OR'), name='refund_open_has_a_clock'),
                    models.CheckConstraint(condition=models.Q(('generation__gte', models.F('observed_generation'))), name='refund_observed_within_generation'),
                    models.CheckConstraint(condition=models.Q(('rejection_code__in', ['', 'in_words', 'nothing_accepted', 'not_reviewed'])), name='refund_rejection_known'),
                    models.CheckConstraint(condition=models.Q(('stop__in', ['', 'awaited', 'stopped', 'left', 'unconfirmed'])), name='refund_stop_known'),
                    models.CheckConstraint(condition=models.Q(('initiator__in', ['customer', 'merchant'])), name='refund_initiator_known'),
                ],
            },
        ),
        migrations.CreateModel(
            name='RefundLine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('quantity', models.IntegerField()),
                ('amount_minor', models.BigIntegerField()),
                ('tax_minor', models.BigIntegerField()),
                ('order_line', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, to='orders.orderline')),
                ('refund', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='lines', to='refunds.refund')),
                ('shipment', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, to='orders.shipment')),
                ('accepted', models.IntegerField(default=0)),
                ('announced', models.IntegerField()),
                ('damaged', models.IntegerField(default=0)),
                ('missing', models.IntegerField(default=0)),
                ('wrong_item', models.IntegerField(default=0)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('refund', 'order_line', 'shipment'), name='refund_line_once', nulls_distinct=False),
                    models.CheckConstraint(condition=models.Q(('quantity__gte', 0), ('announced__gte', models.F('quantity'))), name='refund_line_has_units'),
                ],
            },
        ),
        migrations.CreateModel(
            name='RefundEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seq', models.IntegerField()),
                ('kind', models.CharField(max_length=48)),
                ('data', models.JSONField(default=dict)),
                ('actor', models.CharField(max_length=60)),
                ('role', models.CharField(max_length=16)),
                ('occurred_at', models.DateTimeField()),
                ('hash', models.BinaryField()),
                ('transaction_id', models.BigIntegerField(db_default=models.Func(function='refundry_transaction_id', output_field=models.BigIntegerField()))),
                ('refund', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='events', to='refunds.refund')),
            ],
            options={
                'indexes': [
                    models.Index(fields=['transaction_id', 'id'], name='event_feed'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('refund', 'seq'), name='event_seq_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='GatewayRefund',
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
                ('number', models.CharField(max_length=48)),
                ('kind', models.CharField(default='refund', max_length=8)),
                ('state', django_fsm.FSMField(choices=[('intended', 'intended'), ('pending', 'pending'), ('succeeded', 'succeeded'), ('failed', 'failed'), ('reversed', 'reversed'), ('cancelled', 'cancelled'), ('external', 'external')], default='intended', max_length=24, protected=True)),
                ('amount_minor', models.BigIntegerField()),
                ('currency', models.CharField(max_length=3)),
                ('key_no', models.IntegerField(default=0)),
                ('server_error', models.BooleanField(default=False)),
                ('gateway_refund_id', models.CharField(max_length=200, null=True)),
                ('failure_code', models.CharField(blank=True, default='', max_length=60)),
                ('first_sent_at', models.DateTimeField(null=True)),
                ('accepted_at', models.DateTimeField(null=True)),
                ('settled_at', models.DateTimeField(null=True)),
                ('share', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='gateway_refunds', to='orders.paymentshare')),
                ('refund', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='gateway_refunds', to='refunds.refund')),
                ('replaced_by', models.CharField(blank=True, default='', max_length=48)),
                ('failed_ids', models.JSONField(default=list)),
                ('receipt', models.JSONField(default=dict)),
                ('disputed_minor', models.BigIntegerField(default=0)),
                ('target', models.CharField(blank=True, default='', max_length=60)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('number',), name='movement_number_once'),
                    models.CheckConstraint(condition=models.Q(('state__in', ['intended', 'pending', 'succeeded', 'failed', 'reversed', 'cancelled', 'external'])), name='movement_state_known'),
                    models.CheckConstraint(condition=models.Q(('call__in', ['idle', 'sent', 'unknown'])), name='movement_call_known'),
                    models.CheckConstraint(condition=models.Q(('amount_minor__gte', 1)), name='movement_moves_something'),
                    models.CheckConstraint(condition=models.Q(models.Q(('call', 'sent'), _negated=True), models.Q(('answer_due_at__isnull', False), ('sent_at__isnull', False)), _connector='OR'), name='movement_sent_has_a_clock'),
                    models.CheckConstraint(condition=models.Q(('replaced_by', ''), ('state', refunds.states.MovementState['REVERSED']), _connector='OR'), name='movement_replaced_once_reversed'),
                    models.CheckConstraint(condition=models.Q(('disputed_minor', 0), models.Q(('disputed_minor__gt', 0), ('disputed_minor__lte', models.F('amount_minor')), ('state', refunds.states.MovementState['INTENDED'])), _connector='OR'), name='movement_disputed_unsent'),
                    models.CheckConstraint(condition=models.Q(('kind__in', ['refund', 'void', 'dispute'])), name='movement_kind_known'),
                ],
            },
        ),
        migrations.CreateModel(
            name='LedgerEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=16)),
                ('amount_minor', models.BigIntegerField()),
                ('reference', models.CharField(blank=True, default='', max_length=200)),
                ('occurred_at', models.DateTimeField()),
                ('recorded_at', models.DateTimeField()),
                ('gateway_refund', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, to='refunds.gatewayrefund')),
                ('share', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='orders.paymentshare')),
                ('transaction_id', models.BigIntegerField(db_default=models.Func(function='refundry_transaction_id', output_field=models.BigIntegerField()))),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('amount_minor__gte', 1)), name='ledger_amount_positive'),
                    models.UniqueConstraint(condition=models.Q(('gateway_refund__isnull', True), models.Q(('reference', ''), _negated=True)), fields=('share', 'kind', 'reference'), name='ledger_outside_fact_once'),
                    models.CheckConstraint(condition=models.Q(('kind__in', ('authorize', 'authorize_ended', 'capture', 'correction', 'reserve', 'release', 'refund', 'external', 'credit', 'reversal', 'void', 'dispute', 'dispute_won', 'dispute_lost', 'excess', 'excess_ended'))), name='ledger_kind_known'),
                ],
                'indexes': [
                    django.contrib.postgres.indexes.BrinIndex(autosummarize=True, fields=['recorded_at', 'transaction_id'], name='ledger_day'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Pickup',
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
                ('number', models.CharField(max_length=56)),
                ('state', django_fsm.FSMField(choices=[('intended', 'intended'), ('booked', 'booked'), ('collected', 'collected'), ('in_transit', 'in_transit'), ('received', 'received'), ('missed', 'missed'), ('lost', 'lost'), ('refused', 'refused'), ('cancelled', 'cancelled')], default='intended', max_length=24, protected=True)),
                ('account', models.CharField(blank=True, default='', max_length=60)),
                ('carrier', models.CharField(blank=True, default='', max_length=60)),
                ('waybill', models.CharField(blank=True, default='', max_length=100)),
                ('key_no', models.IntegerField(default=0)),
                ('slot_from', models.DateTimeField(null=True)),
                ('slot_to', models.DateTimeField(null=True)),
                ('missed', models.IntegerField(default=0)),
                ('refusal', models.CharField(blank=True, default='', max_length=60)),
                ('unwanted', models.BooleanField(default=False)),
                ('fact_at', models.DateTimeField(null=True)),
                ('collected_at', models.DateTimeField(null=True)),
                ('created_at', models.DateTimeField()),
                ('refund', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='pickups', to='refunds.refund')),
                ('booked_as', models.CharField(blank=True, default='', max_length=56)),
            ],
            options={
                'indexes': [
                    models.Index(condition=models.Q(('waybill', ''), _negated=True), fields=['waybill'], name='pickup_waybill'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('number',), name='pickup_number_once'),
                    models.CheckConstraint(condition=models.Q(('state__in', ['intended', 'booked', 'collected', 'in_transit', 'received', 'missed', 'lost', 'refused', 'cancelled'])), name='pickup_state_known'),
                    models.CheckConstraint(condition=models.Q(('call__in', ['idle', 'sent', 'unknown'])), name='pickup_call_known'),
                ],
            },
        ),
    ]
