"""A shop front. Order numbers are unique within one; a default one always exists."""

from django.db import models


class Channel(models.Model):
    """`time_zone` is an IANA name: whose midnight ends a day in the books, and of policies that name no zone.

    What a manifest says of it is written by its controller; `served_generation` is the generation that these columns
    are of, 0 for a channel that nobody has declared. `policy`: for orders that no policy's selector asks for.
    `number_prefix` stands between the installation's and the digits of its numbers. `accounts`, `webhooks`: as
    declared, with references in place of secrets. `closing_at`: it takes nothing new, what runs is finished.
    `retired_at`: nothing runs any more; its name is free for another one.
    """

    slug = models.SlugField(max_length=60)
    name = models.CharField(max_length=200)
    default_locale = models.CharField(max_length=16, default="en")
    sender = models.CharField(max_length=200, default="", blank=True)
    contact = models.CharField(max_length=200, default="", blank=True)
    return_address = models.JSONField(default=dict, blank=True)
    time_zone = models.CharField(max_length=64, default="UTC")
    is_default = models.BooleanField(default=False)
    hostnames = models.JSONField(default=list, blank=True)
    origins = models.JSONField(default=list, blank=True)
    number_prefix = models.CharField(max_length=12, default="", blank=True)
    courier = models.CharField(max_length=60, default="", blank=True)
    policy = models.CharField(max_length=60, default="", blank=True)
    accounts = models.JSONField(default=list, blank=True)
    webhooks = models.JSONField(default=list, blank=True)
    served_generation = models.IntegerField(default=0)
    closing_at = models.DateTimeField(null=True, blank=True)
    retired_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["slug"], condition=models.Q(retired_at__isnull=True), name="channel_slug_once"
            ),
            models.UniqueConstraint(
                fields=["is_default"], condition=models.Q(is_default=True), name="one_default_channel"
            ),
        ]

    def __str__(self) -> str:
        return self.slug
