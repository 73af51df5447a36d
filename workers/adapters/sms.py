"""SMS through any endpoint that takes signed JSON (docs/gateways.md): the shop's own bridge to its provider."""

from workers.adapters.http_call import Answer
from workers.adapters.signed_http import SignedPeer, json_object, not_done
from workers.ports import Budget, Delivered, Delivery, OutgoingMessage


class SmsMessenger:
    """One SMS endpoint. A message's identity is its idempotency key."""

    def __init__(self, url: str, *, secret: str) -> None:
        self._peer = SignedPeer(url, secret=secret)

    def send(self, message: OutgoingMessage, *, budget: Budget) -> Delivery:
        """Hand the message over. Any 2xx is a yes, since asking again would send it again."""
        body = {
            "id": message.identity,
            "to": message.to,
            "template": message.template,
            "params": dict(message.params),
            "text": message.text,
            "refund": message.refund,
        }
        answer = self._peer.post("", body, key=message.identity, budget=budget)
        if not isinstance(answer, Answer):
            return answer
        return not_done(answer) or Delivered(_provider_id(answer) or message.identity)


def _provider_id(answer: Answer) -> str:
    try:
        return str(json_object(answer.body).get("id") or "")
    except (ValueError, RecursionError):
        return ""
