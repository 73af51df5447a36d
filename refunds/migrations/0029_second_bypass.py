"""Why a protected refund was let pass without a second person."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('refunds', '0028_in_force'),
    ]

    operations = [
        migrations.AddField(
            model_name='refund',
            name='second_bypass',
            field=models.CharField(blank=True, default='', max_length=500),
        ),
    ]
