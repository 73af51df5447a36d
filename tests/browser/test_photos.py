"""A customer shows photos from his phone in a real browser, with script and without."""

from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import ViewportSize, expect

from tests.browser.browsing import DESKTOP, PHONE
from tests.browser.conftest import OpenTab
from tests.browser.customers import LOCALES, Customer, roads_of
from tests.browser.test_customer_roads import is_fine
from tests.pictures import exif_of_a_phone, picture
from tests.stories.road import ship
from tests.stories.shop import Shop

pytestmark = pytest.mark.xdist_group("browser")

#: Every day one language and width, without script; the others on a long day.
EVERY_DAY = ("en", PHONE, False)
HOW = [
    pytest.param(how, marks=[] if how == EVERY_DAY else [pytest.mark.soak])
    for how in product(LOCALES, (PHONE, DESKTOP), (False, True))
]


@pytest.mark.parametrize("how", HOW)
def test_photos_are_sent_and_seen(
    shop: Shop, open_tab: OpenTab, tmp_path: Path, how: tuple[str, ViewportSize, bool]
) -> None:
    language, size, script = how
    with open_tab(language=language, size=size, script=script) as tab:
        customer = Customer(shop, tab.page, language)
        order = customer.buys(1)
        ship(order)
        customer.asks(order)
        roads_of(order)["intercept"].case.becomes("in_review")
        customer.looks_again()
        form = tab.page.locator("form[action$='/evidence']")
        tab.page.locator("details", has=form).locator("summary").click()
        form.locator("input[type=file]").set_input_files(_taken(tmp_path))
        form.locator("button").click()
        photos = tab.page.locator(".photos img")
        expect(photos).to_have_count(2)
        photos.last.scroll_into_view_if_needed()
        for photo in photos.all():
            expect(photo).to_have_js_property("complete", True)
            assert photo.evaluate("image => image.naturalWidth") == 800
        if script:
            is_fine(tab)


def _taken(folder: Path) -> list[Path]:
    """By a phone held upright, and a picture of the screen."""
    taken = {
        "IMG_1.jpg": picture(size=(600, 800), exif=exif_of_a_phone(orientation=6)),
        "screen.png": picture("PNG", size=(800, 600), colour="blue"),
    }
    for name, data in taken.items():
        (folder / name).write_bytes(data)
    return [folder / name for name in taken]
