"""What a manifest says of a channel."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('orders', '0016_replacing'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='channel',
            name='channel_slug_once',
        ),
        migrations.AddField(
            model_name='channel',
            name='accounts',
            field=models.JSONField(blank=True, default=list),
        ),
        migrations.AddField(
            model_name='channel',
            name='closing_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='channel',
            name='courier',
            field=models.CharField(blank=True, default='', max_length=60),
        ),
        migrations.AddField(
            model_name='channel',
            name='hostnames',
            field=models.JSONField(blank=True, default=list),
        ),
        migrations.AddField(
            model_name='channel',
            name='number_prefix',
            field=models.CharField(blank=True, default='', max_length=12),
        ),
        migrations.AddField(
            model_name='channel',
            name='origins',
            field=models.JSONField(blank=True, default=list),
        ),
        migrations.AddField(
            model_name='channel',
            name='policy',
            field=models.CharField(blank=True, default='', max_length=60),
        ),
        migrations.AddField(
            model_name='channel',
            name='retired_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='channel',
            name='served_generation',
            field=models.IntegerField(default=0),
        ),
        migrations.AddField(
            model_name='channel',
            name='webhooks',
            field=models.JSONField(blank=True, default=list),
        ),
        migrations.AddConstraint(
            model_name='channel',
            constraint=models.UniqueConstraint(condition=models.Q(('retired_at__isnull', True)), fields=('slug',), name='channel_slug_once'),
        ),
    ]
