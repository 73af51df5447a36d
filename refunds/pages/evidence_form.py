"""The form that sends photos. What they are is told by their content; they are read, made small and made anonymous
before anything is locked."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from orders.errors import Invalid
from refunds.evidence import MOST_BYTES, MOST_PHOTOS, TYPES, Photo
from refunds.pages.presenters.troubles import field_text
from refunds.photos import photo_of

#: Of a whole form: all photos that a refund may have, and some text.
MOST_FORM_BYTES = MOST_PHOTOS * MOST_BYTES + 1024 * 1024


class PhotosInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class PhotosField(forms.FileField):
    """One or several photos, as they are to be stored; none where none is required. Without `capture`, a phone offers
    its camera and its album."""

    widget = PhotosInput(attrs={"accept": ",".join(TYPES), "multiple": True})

    def clean(self, data: Any, initial: Any = None) -> list[Photo]:
        if not data and not self.required:
            return []
        if not data:
            raise ValidationError(self.error_messages["required"], code="required")
        if len(data) > MOST_PHOTOS:
            raise ValidationError(_("At most %(most)s photos.") % {"most": MOST_PHOTOS}, code="too_many_photos")
        return [_photo(file) for file in data]


def _photo(file: UploadedFile) -> Photo:
    file.seek(0)
    try:
        return photo_of(file.read(MOST_BYTES + 1), path="photos")
    except Invalid as problem:
        raise ValidationError(field_text(problem.code, problem), code=problem.code) from None


class EvidenceForm(forms.Form):
    photos = PhotosField(label=_("Photos"))


class WithPhotosForm(forms.Form):
    """What goes with a request: if the customer likes, or because the shop needs it for his reason (`needed`)."""

    photos = PhotosField(label=_("Photos, if they help"), required=False)

    def __init__(self, data: Any = None, files: Any = None, *, needed: bool = False) -> None:
        super().__init__(data, files)
        if needed:
            self.fields["photos"] = PhotosField(label=_("Photos of what is wrong: the shop needs them for this reason"))
