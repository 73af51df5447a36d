"""A shop front. Order numbers are unique within one; a default one always exists."""

from django.db import models


class Channel(models.Model):
    """`time_zone` is an IANA name: whose midnight ends a day in the books."""

    slug = models.SlugField(max_length=60)
    name = models.CharField(max_length=200)
    default_locale = models.CharField(max_length=16, default="en")
    sender = models.CharField(max_length=200, default="", blank=True)
    contact = models.CharField(max_length=200, default="", blank=True)
    return_address = models.JSONField(default=dict, blank=True)
    time_zone = models.CharField(max_length=64, default="UTC")
    is_default = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["slug"], name="channel_slug_once"),
            models.UniqueConstraint(
                fields=["is_default"], condition=models.Q(is_default=True), name="one_default_channel"
            ),
        ]

    def __str__(self) -> str:
        return self.slug
