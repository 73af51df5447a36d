"""The inbox's pages: all messages, and one. Mails are shown in a frame that may run nothing."""

import re
from dataclasses import dataclass
from html import escape
from urllib.parse import urlencode

from aiohttp import web

from workers.local.journal import Row
from workers.local.page import Page, badge, facts, link, path_of, when

SHOWN = 200
RECIPIENTS = 24
REFRESH_SECONDS = 5
CHANNELS = {"email": "E-mail", "sms": "SMS"}
#: Links of a mail open beside the inbox; nothing else of it does anything.
FRAME = "allow-popups allow-popups-to-escape-sandbox"
MAIL_POLICY = f"sandbox {FRAME}; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"
NEW_WINDOW = '<base target="_blank">'


@dataclass(frozen=True)
class Asked:
    """Which messages are to be shown; empty: all. `still`: the page is not loaded again by itself."""

    to: str = ""
    refund: str = ""
    still: str = ""

    def address(self, **other: str) -> str:
        """The list's address with other wishes."""
        wishes = {name: value for name, value in {**self.__dict__, **other}.items() if value}
        return f"/?{urlencode(wishes)}" if wishes else "/"


def render_list(found: list[Row], everything: list[Row], asked: Asked) -> web.Response:
    """The newest messages first."""
    items = "".join(f"<li>{_item(message, asked)}</li>" for message in reversed(found[-SHOWN:]))
    about = f' <span class="soft">about {escape(asked.refund)} {link(asked.address(refund=""), "(all)")}</span>'
    head = f'<div class="top"><h1>Inbox</h1><span class="soft">{len(found)} shown</span>'
    follow = link(asked.address(still="" if asked.still else "1"), "Follow" if asked.still else "Stand still")
    head += f"{about if asked.refund else ''}<span>{follow}</span></div>"
    listed = f'<ul class="rows">{items}</ul>' if items else '<p class="soft">No messages.</p>'
    return Page(
        "Refundry inbox", f"{head}{_people(everything, asked)}{listed}", 0 if asked.still else REFRESH_SECONDS
    ).response()


def render_message(message: Row, same_refund: list[Row], view: str) -> web.Response:
    """One message as a mail program would show it, or (`view` "text") its text."""
    has_html, shows_text = bool(message["html"]), view == "text" or not message["html"]
    here = path_of("messages", message["id"])
    tabs = link(here, "Mail", current=not shows_text) + link(f"{here}?view=text", "Text", current=shows_text)
    frame = f'<iframe title="The mail" sandbox="{FRAME}" src="{here}/html"></iframe>'
    shown = f"<pre>{escape(message['text'])}</pre>" if shows_text else frame
    body = f"<p>{link('/', 'Inbox')}</p><h1>{escape(message['subject'] or 'SMS')}</h1>{_about(message)}"
    body += f'<nav class="chips" aria-label="View">{tabs if has_html else ""}</nav>{shown}'
    return Page(message["subject"] or "SMS", body + _others(message, same_refund)).response()


def render_mail(message: Row) -> web.Response:
    """The mail's own HTML, for the frame."""
    html = re.sub(r"<head[^>]*>", lambda head: head[0] + NEW_WINDOW, message["html"], count=1)
    return web.Response(text=html, content_type="text/html", headers={"Content-Security-Policy": MAIL_POLICY})


def _people(everything: list[Row], asked: Asked) -> str:
    """Those who were written to, the latest first."""
    latest = list(dict.fromkeys(message["to"] for message in reversed(everything)))[:RECIPIENTS]
    if asked.to and asked.to not in latest:
        latest.append(asked.to)
    people = "".join(link(asked.address(to=to), to, current=asked.to.casefold() == to.casefold()) for to in latest)
    return f'<nav class="chips" aria-label="To">{link(asked.address(to=""), "All", current=not asked.to)}{people}</nav>'


def _item(message: Row, asked: Asked) -> str:
    refund = link(asked.address(refund=message["refund"]), message["refund"]) if message["refund"] else ""
    kind = badge(message["channel"], CHANNELS[message["channel"]])
    head = f"{kind} <small>{escape(message['to'])}</small> <small>{refund}</small>"
    opened = link(path_of("messages", message["id"]), message["subject"] or message["text"] or "(empty)")
    shown = f"<p><strong>{opened}</strong></p><p>{escape(_heading(message))}</p>" if message["subject"] else opened
    return f'<p class="head">{head}{when(message["sent_at"])}</p>{shown}'


def _heading(message: Row) -> str:
    """The first line with something on it."""
    return next((line for line in message["text"].splitlines() if line.strip()), "")


def _about(message: Row) -> str:
    return facts(
        {
            "To": link(Asked(to=message["to"]).address(), message["to"]),
            "From": escape(message.get("from", "")),
            "Sent": when(message["sent_at"]),
            "Refund": link(Asked(refund=message["refund"]).address(), message["refund"]) if message["refund"] else "",
            "Template": escape(message.get("template", "")),
            "Identity": f"<code>{escape(message['message_id'])}</code>",
        }
    )


def _others(message: Row, same_refund: list[Row]) -> str:
    others = [other for other in same_refund if other["id"] != message["id"]] if message["refund"] else []
    items = "".join(f"<li>{_item(other, Asked())}</li>" for other in reversed(others))
    return f'<h2>Other messages about this refund</h2><ul class="rows">{items}</ul>' if items else ""
