"""The customer with his browser: opens the page behind his link, fills the forms that are on it, and sends them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urlsplit

from workers.local.demo.client import Installation, WentWrong


@dataclass
class Form:
    """A form of a page: where it goes, and what is in its fields; `labels`: a field's name by how it reads."""

    action: str
    values: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)


class Forms(HTMLParser):
    """The forms of a page, as a browser would send them untouched."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[Form] = []
        self._names: dict[str, str] = {}
        self._label_for = ""
        self._texts: dict[str, str] = {}
        self.feed(page)
        for form in self.found:
            named = {text.strip(): self._names.get(name, "") for name, text in self._texts.items()}
            form.labels = {text: name for text, name in named.items() if name in form.values}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.found.append(Form(told.get("action", "")))
        elif tag == "label":
            self._label_for = told.get("for", "")
        elif tag == "br":
            self._label_for = ""
        elif tag in ("input", "select", "textarea") and self.found and "name" in told:
            self._enter(told)

    def handle_endtag(self, tag: str) -> None:
        if tag == "label":
            self._label_for = ""

    def handle_data(self, data: str) -> None:
        if self._label_for:
            self._texts[self._label_for] = self._texts.get(self._label_for, "") + data

    def _enter(self, told: Mapping[str, str]) -> None:
        self._names[told.get("id", "")] = told["name"]
        if told.get("type") not in ("radio", "checkbox") or "checked" in told:
            self.found[-1].values[told["name"]] = told.get("value", "")


class Customer:
    """One customer, by the link to his order."""

    def __init__(self, at: Installation, url: str) -> None:
        self._at = at
        self._page = urlsplit(url).path

    def ask(self, units: Mapping[str, int], **said: str) -> str:
        """Ask for units, by the names of their lines; the number of the request."""
        first = self._form(self._at.page("GET", f"{self._page}/refund")[1], ending="/refund")
        for name, quantity in units.items():
            first.values[first.labels[name]] = str(quantity)
        _, second = self._at.page("POST", first.action, first.values | said)
        confirm = self._form(second, ending="/confirm")
        address, _ = self._at.page("POST", confirm.action, confirm.values)
        return address.rpartition("/")[2]

    def _form(self, page: str, *, ending: str) -> Form:
        for form in Forms(page).found:
            if form.action.endswith(ending):
                return form
        raise WentWrong(f"no form on the customer's page that goes to ...{ending}")
