"""Webhooks to shops: addresses, how far the feed has been read, and a delivery for each event and address."""

import django.db.models.deletion
import django_fsm
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('orders', '0017_channels_declared'),
        ('refunds', '0029_second_bypass'),
    ]

    operations = [
        migrations.CreateModel(
            name='WebhookEndpoint',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('url', models.CharField(max_length=500)),
                ('secret', models.CharField(max_length=500)),
                ('types', models.JSONField(blank=True, default=list)),
                ('generation', models.IntegerField(default=0)),
                ('since', models.BigIntegerField()),
                ('disabled_at', models.DateTimeField(null=True)),
                ('removed_at', models.DateTimeField(null=True)),
                ('channel', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='orders.channel')),
            ],
        ),
        migrations.CreateModel(
            name='WebhookDelivery',
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
                ('seq', models.IntegerField()),
                ('state', django_fsm.FSMField(choices=[('pending', 'pending'), ('delivered', 'delivered'), ('dead', 'dead')], default='pending', max_length=24, protected=True)),
                ('next_reconcile_at', models.DateTimeField(null=True)),
                ('created_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(null=True)),
                ('event', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='refunds.refundevent')),
                ('refund', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='refunds.refund')),
                ('endpoint', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='refunds.webhookendpoint')),
            ],
        ),
        migrations.CreateModel(
            name='WebhookFeed',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('only_row', models.BooleanField(default=True)),
                ('transaction_id', models.BigIntegerField(default=0)),
                ('event_id', models.BigIntegerField(default=0)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('only_row',), name='hook_feed_once'), models.CheckConstraint(condition=models.Q(('only_row', True)), name='hook_feed_one_row')],
            },
        ),
        migrations.AddConstraint(
            model_name='webhookendpoint',
            constraint=models.UniqueConstraint(fields=('channel', 'url'), name='hook_endpoint_once'),
        ),
        migrations.AddIndex(
            model_name='webhookdelivery',
            index=models.Index(condition=models.Q(('next_reconcile_at__isnull', False)), fields=['next_reconcile_at', 'id'], name='hook_due'),
        ),
        migrations.AddIndex(
            model_name='webhookdelivery',
            index=models.Index(condition=models.Q(('state', 'pending')), fields=['endpoint', 'refund', 'seq'], name='hook_turn'),
        ),
        migrations.AddIndex(
            model_name='webhookdelivery',
            index=models.Index(condition=models.Q(('state', 'dead')), fields=['endpoint', 'id'], name='hook_dead'),
        ),
        migrations.AddConstraint(
            model_name='webhookdelivery',
            constraint=models.UniqueConstraint(fields=('event', 'endpoint'), name='hook_event_once'),
        ),
        migrations.AddConstraint(
            model_name='webhookdelivery',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['pending', 'delivered', 'dead'])), name='hook_state_known'),
        ),
        migrations.AddConstraint(
            model_name='webhookdelivery',
            constraint=models.CheckConstraint(condition=models.Q(('call__in', ['idle', 'sent', 'unknown'])), name='hook_call_known'),
        ),
        migrations.AddConstraint(
            model_name='webhookdelivery',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('next_reconcile_at__isnull', False), ('state', 'pending')), models.Q(models.Q(('state', 'pending'), _negated=True), ('next_reconcile_at__isnull', True)), _connector='OR'), name='hook_clock_while_pending'),
        ),
    ]
