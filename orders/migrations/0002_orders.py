"""Orders as shops state them, and who may call: the first of every table."""

import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.text
import django_fsm
import orders.states
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ('orders', '0002_facts'), ('orders', '0003_returns'), ('orders', '0004_payment_channel'),
        ('orders', '0005_shipment_tracking'), ('orders', '0006_principal_user'), ('orders', '0007_delivery_known'),
        ('orders', '0008_customer_search'), ('orders', '0009_number_first'), ('orders', '0010_stated'),
        ('orders', '0011_authorized'), ('orders', '0012_books'),
    ]

    dependencies = [
        ('orders', '0001_clock'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Channel',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=60)),
                ('name', models.CharField(max_length=200)),
                ('default_locale', models.CharField(default='en', max_length=16)),
                ('sender', models.CharField(blank=True, default='', max_length=200)),
                ('contact', models.CharField(blank=True, default='', max_length=200)),
                ('is_default', models.BooleanField(default=False)),
                ('return_address', models.JSONField(blank=True, default=dict)),
                ('time_zone', models.CharField(default='UTC', max_length=64)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('slug',), name='channel_slug_once'),
                    models.UniqueConstraint(condition=models.Q(('is_default', True)), fields=('is_default',), name='one_default_channel'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Order',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.CharField(max_length=64)),
                ('currency', models.CharField(max_length=3)),
                ('state', django_fsm.FSMField(choices=[('paid', 'paid'), ('partially_shipped', 'partially_shipped'), ('shipped', 'shipped'), ('delivered', 'delivered'), ('cancelled', 'cancelled')], default='paid', max_length=24, protected=True)),
                ('refund_state', models.CharField(default=orders.states.OrderRefundState['NONE'], max_length=24)),
                ('version', models.BigIntegerField(null=True)),
                ('resource_version', models.BigIntegerField(default=1)),
                ('customer_name', models.CharField(blank=True, default='', max_length=200)),
                ('customer_email', models.CharField(blank=True, default='', max_length=254)),
                ('customer_phone', models.CharField(blank=True, default='', max_length=32)),
                ('customer_locale', models.CharField(blank=True, default='', max_length=16)),
                ('customer_reference', models.CharField(blank=True, default='', max_length=100)),
                ('labels', models.JSONField(default=dict)),
                ('prices_include_tax', models.BooleanField(default=True)),
                ('discounts', models.JSONField(default=list)),
                ('shipping_minor', models.BigIntegerField(default=0)),
                ('shipping_tax_minor', models.BigIntegerField(default=0)),
                ('shipping_refunded_minor', models.BigIntegerField(default=0)),
                ('shipping_tax_refunded_minor', models.BigIntegerField(default=0)),
                ('shipping_address', models.JSONField(default=dict)),
                ('total_minor', models.BigIntegerField(default=0)),
                ('ordered_at', models.DateTimeField()),
                ('expected_ship_at', models.DateTimeField(null=True)),
                ('created_at', models.DateTimeField()),
                ('updated_at', models.DateTimeField()),
                ('channel', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, to='orders.channel')),
                ('non_refundable_minor', models.BigIntegerField(default=0)),
                ('points_earned', models.BigIntegerField(default=0)),
                ('shipping_before_minor', models.BigIntegerField(default=0)),
                ('shipping_before_tax_minor', models.BigIntegerField(default=0)),
                ('shipping_supplement_minor', models.BigIntegerField(default=0)),
                ('invoice_issued_at', models.DateTimeField(null=True)),
                ('invoice_number', models.CharField(blank=True, default='', max_length=64)),
                ('legal_entity', models.CharField(blank=True, default='', max_length=200)),
                ('tax_country', models.CharField(blank=True, default='', max_length=2)),
            ],
            options={
                'indexes': [
                    models.Index(django.db.models.functions.text.Upper('customer_email'), condition=models.Q(('customer_email', ''), _negated=True), name='order_customer_email'),
                    models.Index(models.Func('customer_phone', models.Value(' ()./-'), models.Value(''), function='translate', output_field=models.TextField()), condition=models.Q(('customer_phone', ''), _negated=True), name='order_customer_phone'),
                    django.contrib.postgres.indexes.GinIndex(django.contrib.postgres.search.SearchVector('customer_name', config='simple'), fastupdate=False, name='order_customer_words'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('state__in', ['paid', 'partially_shipped', 'shipped', 'delivered', 'cancelled'])), name='order_state_known'),
                    models.CheckConstraint(condition=models.Q(('refund_state__in', ['none', 'refund_requested', 'partially_refunded', 'refunded'])), name='order_refund_state_known'),
                    models.CheckConstraint(condition=models.Q(('shipping_refunded_minor__gte', 0), ('shipping_tax_refunded_minor__gte', 0)), name='order_shipping_refund_not_negative'),
                    models.UniqueConstraint(fields=('number', 'channel'), name='order_number_once'),
                    models.CheckConstraint(condition=models.Q(('shipping_minor__gte', models.F('shipping_supplement_minor')), ('shipping_supplement_minor__gte', 0)), name='order_supplement_within_shipping'),
                    models.CheckConstraint(condition=models.Q(('non_refundable_minor__gte', 0), ('points_earned__gte', 0), ('total_minor__gte', models.F('non_refundable_minor'))), name='order_deposit_within_total'),
                    models.CheckConstraint(condition=models.Q(('shipping_before_minor__gte', models.F('shipping_before_tax_minor')), ('shipping_before_tax_minor__gte', 0), ('shipping_refunded_minor__gte', models.F('shipping_before_minor'))), name='order_refunded_before_is_refunded'),
                ],
            },
        ),
        migrations.CreateModel(
            name='OrderLine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('line_id', models.CharField(max_length=100)),
                ('position', models.IntegerField()),
                ('sku', models.CharField(max_length=100)),
                ('name', models.CharField(max_length=300)),
                ('quantity', models.IntegerField()),
                ('fulfilment', models.CharField(default=orders.states.Fulfilment['SHIP'], max_length=8)),
                ('unit_price_minor', models.BigIntegerField(null=True)),
                ('list_minor', models.BigIntegerField()),
                ('tax_minor', models.BigIntegerField(default=0)),
                ('labels', models.JSONField(default=dict)),
                ('gift_for', models.CharField(blank=True, default='', max_length=100)),
                ('bundle', models.CharField(blank=True, default='', max_length=100)),
                ('shipped', models.IntegerField(default=0)),
                ('delivered', models.IntegerField(default=0)),
                ('held', models.IntegerField(default=0)),
                ('refunded', models.IntegerField(default=0)),
                ('withheld', models.IntegerField(default=0)),
                ('refunded_unshipped', models.IntegerField(default=0)),
                ('refunded_minor', models.BigIntegerField(default=0)),
                ('refunded_tax_minor', models.BigIntegerField(default=0)),
                ('order', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='lines', to='orders.order')),
                ('adjusted_minor', models.BigIntegerField(default=0)),
                ('adjusted_tax_minor', models.BigIntegerField(default=0)),
                ('before_minor', models.BigIntegerField(default=0)),
                ('before_tax_minor', models.BigIntegerField(default=0)),
                ('before_units', models.IntegerField(default=0)),
                ('tax_rate', models.CharField(blank=True, default='', max_length=12)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('order', 'line_id'), name='order_line_id_once'),
                    models.CheckConstraint(condition=models.Q(('fulfilment__in', ['ship', 'digital', 'none'])), name='line_fulfilment_known'),
                    models.CheckConstraint(condition=models.Q(('delivered__gte', 0), ('held__gte', 0), ('list_minor__gte', 0), ('refunded__gte', 0), ('shipped__gte', 0), ('withheld__gte', 0)), name='line_counts_not_negative'),
                    models.CheckConstraint(condition=models.Q(('quantity__gte', django.db.models.expressions.CombinedExpression(models.F('held'), '+', models.F('refunded')))), name='line_unit_never_refunded_twice'),
                    models.CheckConstraint(condition=models.Q(('quantity__gte', django.db.models.expressions.CombinedExpression(models.F('shipped'), '+', models.F('withheld')))), name='line_held_unit_never_shipped'),
                    models.CheckConstraint(condition=models.Q(('shipped__gte', models.F('delivered')), ('withheld__gte', models.F('refunded_unshipped'))), name='line_counts_nested'),
                    models.CheckConstraint(condition=models.Q(('refunded_minor__gte', 0), ('refunded_tax_minor__gte', 0)), name='line_refund_not_negative'),
                    models.CheckConstraint(condition=models.Q(('adjusted_minor__gte', models.F('adjusted_tax_minor')), ('adjusted_tax_minor__gte', 0)), name='line_adjustment_not_negative'),
                    models.CheckConstraint(condition=models.Q(('before_minor__gte', models.F('before_tax_minor')), ('before_tax_minor__gte', 0), ('before_units__gte', 0), ('refunded__gte', models.F('before_units')), ('refunded_minor__gte', models.F('before_minor'))), name='line_refunded_before_is_refunded'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Payment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('account', models.CharField(max_length=60)),
                ('reference', models.CharField(max_length=200)),
                ('currency', models.CharField(max_length=3)),
                ('total_minor', models.BigIntegerField()),
                ('allocated_minor', models.BigIntegerField(default=0)),
                ('authorized_minor', models.BigIntegerField(null=True)),
                ('captured_at', models.DateTimeField(null=True)),
                ('channel', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, to='orders.channel')),
                ('method', models.CharField(default=orders.states.PaymentMethod['CARD'], max_length=12)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('account', 'reference'), name='payment_reference_once'),
                    models.CheckConstraint(condition=models.Q(('total_minor__gte', models.F('allocated_minor')), ('allocated_minor__gte', 0)), name='payment_never_overallocated'),
                    models.CheckConstraint(condition=models.Q(('method__in', ['card', 'gift_card', 'points', 'cash', 'other'])), name='payment_method_known'),
                ],
            },
        ),
        migrations.CreateModel(
            name='PaymentShare',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('captured_minor', models.BigIntegerField(default=0)),
                ('reserved_minor', models.BigIntegerField(default=0)),
                ('refunded_minor', models.BigIntegerField(default=0)),
                ('disputed_minor', models.BigIntegerField(default=0)),
                ('excess_minor', models.BigIntegerField(default=0)),
                ('order', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='shares', to='orders.order')),
                ('payment', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='shares', to='orders.payment')),
                ('before_minor', models.BigIntegerField(default=0)),
                ('authorized_minor', models.BigIntegerField(default=0)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('payment', 'order'), name='payment_share_once'),
                    models.CheckConstraint(condition=models.Q(('captured_minor__gte', django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(models.F('reserved_minor'), '+', models.F('refunded_minor')), '+', models.F('disputed_minor')), '-', models.F('excess_minor')), '-', models.F('authorized_minor')))), name='payment_never_overspent'),
                    models.CheckConstraint(condition=models.Q(('captured_minor__gte', django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(models.F('refunded_minor'), '+', models.F('disputed_minor')), '-', models.F('excess_minor')))), name='payment_gone_within_captured'),
                    models.CheckConstraint(condition=models.Q(('authorized_minor__gte', 0), ('before_minor__gte', 0), ('captured_minor__gte', 0), ('disputed_minor__gte', 0), ('excess_minor__gte', 0), ('refunded_minor__gte', 0), ('reserved_minor__gte', 0)), name='payment_sums_not_negative'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Principal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200)),
                ('role', models.CharField(max_length=16)),
                ('channels', models.ManyToManyField(related_name='principals', to='orders.channel')),
                ('user', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('role__in', ['shop', 'support', 'supervisor', 'warehouse', 'finance', 'auditor', 'customer', 'system'])), name='principal_role_known'),
                ],
            },
        ),
        migrations.CreateModel(
            name='IdempotencyRecord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('method', models.CharField(max_length=8)),
                ('path', models.CharField(max_length=500)),
                ('key', models.CharField(max_length=255)),
                ('body_digest', models.CharField(max_length=64)),
                ('status', models.IntegerField()),
                ('answer', models.JSONField()),
                ('created_at', models.DateTimeField()),
                ('principal', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, to='orders.principal')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('principal', 'method', 'path', 'key'), name='idempotency_key_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ApiKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('prefix', models.CharField(max_length=16)),
                ('digest', models.CharField(max_length=128)),
                ('created_at', models.DateTimeField()),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('principal', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='keys', to='orders.principal')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('prefix',), name='key_prefix_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Shipment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reference', models.CharField(max_length=100, null=True)),
                ('carrier', models.CharField(blank=True, default='', max_length=60)),
                ('tracking_number', models.CharField(blank=True, default='', max_length=100)),
                ('state', django_fsm.FSMField(choices=[('shipped', 'shipped'), ('delivered', 'delivered'), ('intercepting', 'intercepting'), ('returning', 'returning'), ('returned', 'returned'), ('lost', 'lost'), ('refused', 'refused')], default='shipped', max_length=24, protected=True)),
                ('left', models.BooleanField(default=False)),
                ('shipped_at', models.DateTimeField()),
                ('delivered_at', models.DateTimeField(null=True)),
                ('fact_at', models.DateTimeField()),
                ('created_at', models.DateTimeField()),
                ('order', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='shipments', to='orders.order')),
                ('answer_due_at', models.DateTimeField(null=True)),
                ('asked_at', models.DateTimeField(null=True)),
                ('attempt', models.IntegerField(default=0)),
                ('call', models.CharField(default='idle', max_length=8)),
                ('call_kind', models.CharField(blank=True, default='', max_length=16)),
                ('failures', models.IntegerField(default=0)),
                ('last_error', models.CharField(blank=True, default='', max_length=200)),
                ('retry_at', models.DateTimeField(null=True)),
                ('sent_at', models.DateTimeField(null=True)),
                ('delivery_known_at', models.DateTimeField(null=True)),
            ],
            options={
                'indexes': [
                    models.Index(condition=models.Q(('tracking_number', ''), _negated=True), fields=['tracking_number'], name='shipment_tracking'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('order', 'reference'), name='shipment_reference_once'),
                    models.CheckConstraint(condition=models.Q(('state__in', ['shipped', 'delivered', 'intercepting', 'returning', 'returned', 'lost', 'refused'])), name='shipment_state_known'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ShipmentLine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('quantity', models.IntegerField()),
                ('order_line', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='shipment_lines', to='orders.orderline')),
                ('shipment', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='lines', to='orders.shipment')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('shipment', 'order_line'), name='shipment_line_once'),
                    models.CheckConstraint(condition=models.Q(('quantity__gte', 1)), name='shipment_line_has_units'),
                ],
            },
        ),
    ]
