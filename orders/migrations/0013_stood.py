"""What an order counted and cost when a refund last took from it: an order stated wrongly after that can be put right."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("orders", "0002_orders")]
    operations = [migrations.AddField("order", "stood", models.JSONField(default=dict))]
