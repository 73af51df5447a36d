"""The forms of a customer's page, filled in and sent as a browser without script does."""

import re

import urllib3

from tests.stories.road import Road


def press(url: str, road: Road, action: str, **said: str) -> None:
    """Send the form of this act at the order page that `url` links to."""
    pool = urllib3.PoolManager(retries=False, timeout=30)
    request = road.case.look()["metadata"]["request"]
    shown = pool.request("GET", f"{url}/requests/{request}").data.decode()
    form = shown.partition(f"/refunds/{road.case.number}/{action}")[2]
    token = re.search(r'name="form_token" value="(\w+)"', form)
    assert token, shown
    address = f"{url}/refunds/{road.case.number}/{action}"
    answer = pool.request(
        "POST", address, fields={**said, "form_token": token[1]}, encode_multipart=False, redirect=False
    )
    assert answer.status == 303, answer.data.decode()
