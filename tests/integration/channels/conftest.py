"""A shop with a key, and manifests of channels that are applied and made true."""

from tests.integration.orders.conftest import api_of as api_of
from tests.integration.orders.conftest import shop as shop
