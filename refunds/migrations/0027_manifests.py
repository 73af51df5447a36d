"""Manifests of policies and channels, and which version of a policy is in force."""

import django.db.models.deletion
import uuid
from django.db import migrations, models

class Migration(migrations.Migration):

    dependencies = [
        ('refunds', '0026_replacing'),
    ]

    operations = [
        migrations.CreateModel(
            name='HeldName',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('scope', models.CharField(max_length=20)),
                ('value', models.CharField(max_length=255)),
            ],
        ),
        migrations.CreateModel(
            name='Manifest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=16)),
                ('name', models.CharField(max_length=60)),
                ('uid', models.UUIDField(default=uuid.uuid4, editable=False)),
                ('labels', models.JSONField(blank=True, default=dict)),
                ('annotations', models.JSONField(blank=True, default=dict)),
                ('spec', models.JSONField()),
                ('generation', models.IntegerField(default=1)),
                ('resource_version', models.BigIntegerField(default=1)),
                ('observed_generation', models.IntegerField(default=0)),
                ('conditions', models.JSONField(default=list)),
                ('status', models.JSONField(default=dict)),
                ('applied_by', models.CharField(max_length=60)),
                ('approval', models.CharField(blank=True, default='', max_length=500)),
                ('approved_by', models.CharField(blank=True, default='', max_length=60)),
                ('approved_generation', models.IntegerField(default=0)),
                ('finalizers', models.JSONField(default=list)),
                ('deletion_at', models.DateTimeField(null=True)),
                ('next_reconcile_at', models.DateTimeField(null=True)),
                ('failures', models.IntegerField(default=0)),
                ('created_at', models.DateTimeField()),
                ('updated_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='ManifestVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=16)),
                ('name', models.CharField(max_length=60)),
                ('uid', models.UUIDField()),
                ('generation', models.IntegerField()),
                ('spec', models.JSONField()),
                ('applied_by', models.CharField(max_length=60)),
                ('applied_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='PolicyInForce',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.SlugField(max_length=60)),
            ],
        ),
        migrations.CreateModel(
            name='WebProcess',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('loaded', models.JSONField(default=dict)),
                ('started_at', models.DateTimeField()),
                ('seen_at', models.DateTimeField()),
            ],
        ),
        migrations.RemoveConstraint(
            model_name='policyversion',
            name='policy_generation_once',
        ),
        migrations.AddField(
            model_name='policyversion',
            name='precedence',
            field=models.IntegerField(default=0),
        ),
        migrations.AddField(
            model_name='policyversion',
            name='selector',
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name='policyversion',
            name='uid',
            field=models.UUIDField(editable=False, null=True),
        ),
        migrations.AddConstraint(
            model_name='policyversion',
            constraint=models.UniqueConstraint(fields=('name', 'uid', 'generation'), name='policy_generation_once', nulls_distinct=False),
        ),
        migrations.AddIndex(
            model_name='manifest',
            index=models.Index(condition=models.Q(('next_reconcile_at__isnull', False)), fields=['next_reconcile_at', 'id'], name='manifest_due'),
        ),
        migrations.AddConstraint(
            model_name='manifest',
            constraint=models.UniqueConstraint(fields=('kind', 'name'), name='manifest_name_once'),
        ),
        migrations.AddConstraint(
            model_name='manifest',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ('RefundPolicy', 'Channel'))), name='manifest_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='manifest',
            constraint=models.CheckConstraint(condition=models.Q(('generation__gte', models.F('observed_generation'))), name='manifest_observed_within_generation'),
        ),
        migrations.AddField(
            model_name='heldname',
            name='manifest',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='names', to='refunds.manifest'),
        ),
        migrations.AddConstraint(
            model_name='manifestversion',
            constraint=models.UniqueConstraint(fields=('uid', 'generation'), name='manifest_generation_once'),
        ),
        migrations.AddField(
            model_name='policyinforce',
            name='version',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='refunds.policyversion'),
        ),
        migrations.AddConstraint(
            model_name='webprocess',
            constraint=models.UniqueConstraint(fields=('name',), name='web_process_once'),
        ),
        migrations.AddConstraint(
            model_name='heldname',
            constraint=models.UniqueConstraint(fields=('scope', 'value'), name='name_held_once'),
        ),
        migrations.AddConstraint(
            model_name='policyinforce',
            constraint=models.UniqueConstraint(fields=('name',), name='policy_one_in_force'),
        ),
    ]
