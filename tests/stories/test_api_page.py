"""The page for shops, with all processes running: what it shows is what a shop sees."""

import secrets

import pytest

from orders.services.keys import digest_of
from tests.pages import API_PAGE, play
from tests.processes import Stack

pytestmark = pytest.mark.xdist_group("stories")

NEW_SHOP = """
WITH channel AS (
    INSERT INTO orders_channel (slug, name, default_locale, sender, contact, return_address, is_default, time_zone,
        hostnames, origins, number_prefix, courier, policy, accounts, webhooks, served_generation)
    VALUES ('newcomer', 'Newcomer', 'en', '', '', '{}', false, 'UTC', '[]', '[]', '', '', '', '[]', '[]', 0)
    RETURNING id
), principal AS (
    INSERT INTO orders_principal (name, role, left_by) VALUES ('Newcomer', 'shop', '') RETURNING id
), belongs AS (
    INSERT INTO orders_principal_channels (principal_id, channel_id) SELECT principal.id, channel.id
    FROM principal, channel
)
INSERT INTO orders_apikey (principal_id, prefix, digest, created_at) SELECT id, 'newcomer', %s, now() FROM principal
"""


def test_the_page_is_true_while_the_engine_runs(stack: Stack) -> None:
    """For a shop of its own: the page shows its first events."""
    key = f"newcomer.{secrets.token_urlsafe(32)}"
    stack.query(NEW_SHOP, digest_of(key))
    play(API_PAGE, base=f"{stack.base_url}/api/v1", key=key, channel="newcomer")
