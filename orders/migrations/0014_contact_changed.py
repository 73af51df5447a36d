"""Since when an order has had its phone and its address."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('orders', '0013_stood'),
    ]

    operations = [
        migrations.AddField(
            model_name='order',
            name='email_changed_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='order',
            name='phone_changed_at',
            field=models.DateTimeField(null=True),
        ),
    ]
