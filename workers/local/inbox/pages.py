"""The inbox's two pages: all messages, and one. Mails are shown in a frame that may run nothing."""

from html import escape

from aiohttp import web

from workers.local.journal import Row

SHOWN = 200
HEAD = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Refundry inbox</title>
<style>body{font:16px/1.5 system-ui,sans-serif;margin:1rem auto;max-width:48rem;padding:0 1rem;
overflow-wrap:anywhere}ul{list-style:none;padding:0}li{border-bottom:1px solid #ccc;padding:.6rem 0}
a{display:block;color:inherit;text-decoration:none}small{color:#555}pre{white-space:pre-wrap;font:inherit}
iframe{width:100%;height:70vh;border:1px solid #ccc}input{font:inherit;width:100%;box-sizing:border-box}</style>"""


def render_list(messages: list[Row], to: str) -> web.Response:
    """The newest messages first, of one person if asked."""
    items = "".join(_item(message) for message in reversed(messages[-SHOWN:])) or "<li>No messages.</li>"
    search = (
        f'<form><label>To <input name="to" value="{escape(to)}" placeholder="address or phone number"></label></form>'
    )
    return _page(f"<h1>Inbox</h1>{search}<ul>{items}</ul>")


def render_message(message: Row) -> web.Response:
    """One message: its text, and its HTML as a mail program would show it."""
    about = f"{message['channel']} to {message['to']}, {message['sent_at']}, refund {message['refund'] or 'none'}"
    frame = f'<h2>HTML</h2><iframe sandbox="" srcdoc="{escape(message["html"])}"></iframe>' if message["html"] else ""
    title = escape(message["subject"] or message["channel"])
    text = f"<h2>Text</h2><pre>{escape(message['text'])}</pre>"
    return _page(f'<p><a href="/">Inbox</a></p><h1>{title}</h1><p><small>{escape(about)}</small></p>{text}{frame}')


def _item(message: Row) -> str:
    title = escape(message["subject"] or message["text"][:80] or "(empty)")
    about = escape(f"{message['channel']} to {message['to']}, {message['sent_at'][:19]}")
    return f'<li><a href="/messages/{message["id"]}">{title}<br><small>{about}</small></a></li>'


def _page(body: str) -> web.Response:
    return web.Response(text=f"{HEAD}{body}</html>", content_type="text/html")
