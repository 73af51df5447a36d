"""People leave: who says so, and since when."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('orders', '0014_contact_changed'),
    ]

    operations = [
        migrations.AddField(
            model_name='principal',
            name='left_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='principal',
            name='left_by',
            field=models.CharField(blank=True, default='', max_length=60),
        ),
    ]
