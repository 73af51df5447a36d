"""Names as people and shops have them, in every message: one mail to one address arrives, and says what was typed."""

from dataclasses import replace
from email.utils import parseaddr
from html.parser import HTMLParser

import pytest

from orders.models import Channel, OrderLine
from refunds.declared.channel_rules import read_channel
from refunds.messages.facts import MessageFacts
from refunds.messages.render import render_message
from refunds.messages.sms import room_left
from refunds.models import Notification
from refunds.selectors.message_facts import message_facts
from tests.integration.adapters.peers import budget
from tests.integration.notifications.conftest import Inbox
from tests.integration.notifications.owed import make_case
from tests.unit.messages.samples import LANGUAGES, TEMPLATES, inspected, new_link, sample
from workers.ports import Delivered

VICTIM = "victim@elsewhere.example"
#: What was typed, and what a reader sees of it.
NAMES: dict[str, tuple[str, str]] = {
    "emoji": ("🎉 Läden 👩‍👧 🏳️‍🌈", "🎉 Läden 👩‍👧 🏳️‍🌈"),
    "quotes": ("\"Oak\" & 'Lantern'", "\"Oak\" & 'Lantern'"),
    "comma": ('O"Neil, Ada <ada@evil.example>, ' + VICTIM, 'O"Neil, Ada <ada@evil.example>, ' + VICTIM),
    "markup": ("<b>Bold</b><script>alert(1)</script>&amp;", "<b>Bold</b><script>alert(1)</script>&amp;"),
    "new lines": (f"Mug\r\nBcc: {VICTIM}\r\n\r\nHello", f"Mug Bcc: {VICTIM} Hello"),
    "other line ends": ("Mug\u2028two\u0085three\x0bfour", "Mug two three four"),
    "right to left": ("\u202eknab\u202c \u2067evil\u2069 \u200fname\u061c", "knab evil name"),
    "arabic": ("متجر البلوط", "متجر البلوط"),
    "template": ("{{ x }} {% include 'a' %} ${y} %(shop)s 100%", "{{ x }} {% include 'a' %} ${y} %(shop)s 100%"),
    "encoded word": ("=?utf-8?q?=42cc=3A?= x", "=?utf-8?q?=42cc=3A?= x"),
    "200 letters": ("W" * 200, "W" * 200),
    "200 of Chinese": ("橡" * 200, "橡" * 200),
    "200 words": ("Oak and " * 25, ("Oak and " * 25).strip()),
    "dots": (".\n.\r\nQUIT", ". . QUIT"),
    "nothing to see": ("\u200e \u202a\t", ""),
}
PLAIN = "Plainname"


class Seen(HTMLParser):
    """What a mail program makes of HTML: its tags with their attributes' names, and the words."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.words = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(name for name, _ in attrs)))

    def handle_data(self, data: str) -> None:
        self.words += data


def named(facts: MessageFacts, name: str) -> MessageFacts:
    """The same with this name for all that has one."""
    items = tuple(replace(item, name=name) for item in facts.items)
    return replace(facts, customer=name, shop=name, contact=name, items=items, adjusted=(name,) if items else ())


def letters(language: str) -> list[MessageFacts]:
    found = [sample(language, template=template) for template in TEMPLATES]
    return [*found, inspected(sample(language, template="parcel_checked")), new_link(language)]


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_name_changes_no_tag_and_no_line_of_any_mail(kind: str, language: str) -> None:
    typed, seen = NAMES[kind]
    for facts in letters(language):
        odd, plain = render_message(named(facts, typed)), render_message(named(facts, seen and PLAIN))
        assert odd.text == plain.text.replace(PLAIN, seen), facts.template
        assert "\n" not in odd.subject and odd.subject == plain.subject
        read_odd, read_plain = Seen(odd.html), Seen(plain.html)
        assert read_odd.tags == read_plain.tags, facts.template
        assert read_odd.words == read_plain.words.replace(PLAIN, seen), facts.template


@pytest.mark.django_db
@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_arrives_is_one_mail_to_one_address_with_the_names_in_it(inbox: Inbox, kind: str, language: str) -> None:
    typed, seen = NAMES[kind]
    to = f"odd.{kind.replace(' ', '-')}.{language}@customer.example"
    case = make_case(name=typed[:200], email=to, locale=language)
    Channel.objects.update(name=typed[:200], contact=typed[:200])
    OrderLine.objects.update(name=typed)
    mail, sms = (render_message(facts(case.owe(channel=channel))) for channel in ("email", "sms"))
    assert inbox.mail.send(mail, budget=budget()) == Delivered(mail.identity)
    [got] = inbox.messages(to=to)
    assert inbox.messages(to=VICTIM) == []
    assert (got["subject"], got["message_id"], got["refund"]) == (mail.subject, mail.identity, mail.refund)
    assert (got["text"].splitlines(), got["html"].splitlines()) == (mail.text.splitlines(), mail.html.splitlines())
    assert got["text"].count(seen) >= 3 and seen in Seen(got["html"]).words
    assert "\n" not in sms.text and room_left(sms.text) >= 0


def facts(row: Notification) -> MessageFacts:
    return message_facts([row])[row.pk]


#: The names in a manifest's `sender`, and what a reader sees of them.
SENDERS = {
    "🎉 Läden": "🎉 Läden",
    '"Oak, Inc"': "Oak, Inc",
    '"橡树, 灯笼"': "橡树, 灯笼",
    "O'Neil & Co": "O'Neil & Co",
    '"Oak <b>Bold</b>"': "Oak <b>Bold</b>",
    f'"{VICTIM}"': VICTIM,
    "\u202eknab\u061c": "knab",
    "Oak\u2028Inc": "Oak Inc",
    "متجر": "متجر",
    '"{{ x }} 100% %(shop)s"': "{{ x }} 100% %(shop)s",
    "W" * 170: "W" * 170,
    "橡" * 15: "橡" * 15,  # of more, Python's reader puts blanks between the encoded words
}


@pytest.mark.parametrize("name", SENDERS)
def test_a_shop_is_the_sender_by_whatever_name_its_manifest_gives(inbox: Inbox, name: str) -> None:
    declared, found = read_channel({"sender": f"{name} <refunds@shop.example>"})
    assert declared is not None, found
    to = f"sender.{[*SENDERS].index(name)}@customer.example"
    mail = render_message(sample(to=to, sender=declared.sender))
    assert inbox.mail.send(mail, budget=budget()) == Delivered(mail.identity)
    [got] = inbox.messages(to=to)
    assert parseaddr(got["from"]) == (SENDERS[name], "refunds@shop.example")
    assert (got["refund"], inbox.messages(to=VICTIM)) == (mail.refund, [])


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["=?utf-8?q?victim?=@elsewhere.example", "victim(x)@elsewhere.example"])
def test_an_address_that_a_mail_library_takes_for_another_one_gets_nothing(inbox: Inbox, address: str) -> None:
    """The first can be stated with an order: it is a valid one, of nobody."""
    to = facts(make_case(email=address).owe()).to
    assert to == ""
    mail = sample(to=address)
    assert inbox.mail.send(render_message(replace(mail, to=to)), budget=budget()) != Delivered(mail.identity)
    assert inbox.messages(to=VICTIM) == []
