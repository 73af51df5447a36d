"""Photos that an agent puts on the case: as the customer's own form takes them."""

from collections.abc import Iterator

from django.utils.translation import gettext_lazy as _

from refunds.console.forms import ActForm
from refunds.pages.evidence_form import PhotosField


class PhotosForm(ActForm):
    at = {"photos": "photos"}
    photos = PhotosField(label=_("Photos"))

    def typed(self) -> Iterator[tuple[str, str]]:
        """A browser sends no file that it did not let somebody choose: there is nothing to keep."""
        return iter(())
