"""Who has asked for the end of what is declared."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('refunds', '0030_webhooks_out'),
    ]

    operations = [
        migrations.AddField(
            model_name='manifest',
            name='deletion_by',
            field=models.CharField(blank=True, default='', max_length=60),
        ),
    ]
