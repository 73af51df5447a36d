"""Lists by pages of so many rows."""

from typing import Any, cast

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property

PER_PAGE = 25
MOST = 5000


class Pages(Paginator):
    """Counts no further than anybody turns pages: what has ended grows without end."""

    @cached_property
    def count(self) -> int:
        return cast(QuerySet[Any], self.object_list).order_by()[:MOST].count()


def page_of(request: HttpRequest, found: QuerySet[Any]) -> Page:
    """An odd page number shows the nearest page there is."""
    return Pages(found, PER_PAGE).get_page(request.GET.get("page"))


def paged(request: HttpRequest, page: Page) -> dict[str, Any]:
    """What the pager shows."""
    asked = request.GET.copy()
    asked.pop("page", None)
    total = page.paginator.count
    return {
        "page": page,
        "total": f"{total}+" if total == MOST else total,
        "others": asked.urlencode(),
        "here": request.path,
    }
