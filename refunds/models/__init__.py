"""Rows of the refund side. Columns, constraints and transitions; only `refunds.services` writes them."""

from refunds.models.close import DayClose
from refunds.models.credit_note import CreditNote
from refunds.models.event import RefundEvent
from refunds.models.evidence import EvidencePhoto
from refunds.models.hook import WebhookDelivery, WebhookEndpoint, WebhookFeed
from refunds.models.incident import Incident
from refunds.models.ledger import LedgerEntry
from refunds.models.ledger_check import LedgerCheck
from refunds.models.manifest import HeldName, Manifest, ManifestVersion, WebProcess
from refunds.models.movement import GatewayRefund
from refunds.models.notification import Notification
from refunds.models.orphan import GatewayScan, Orphan
from refunds.models.pause import PausedQueue
from refunds.models.pickup import Pickup
from refunds.models.policy import PolicyInForce, PolicyVersion
from refunds.models.refund import Refund, RefundLine
from refunds.models.store_credit import StoreCreditAccount, StoreCreditEntry
from refunds.models.target import TargetChange
from refunds.models.thread import CaseMessage
from refunds.models.webhook import InboundWebhook

__all__ = [
    "CaseMessage",
    "CreditNote",
    "DayClose",
    "EvidencePhoto",
    "GatewayRefund",
    "GatewayScan",
    "HeldName",
    "Incident",
    "InboundWebhook",
    "LedgerCheck",
    "LedgerEntry",
    "Manifest",
    "ManifestVersion",
    "Notification",
    "PausedQueue",
    "Orphan",
    "Pickup",
    "PolicyInForce",
    "PolicyVersion",
    "Refund",
    "RefundEvent",
    "RefundLine",
    "StoreCreditAccount",
    "StoreCreditEntry",
    "TargetChange",
    "WebProcess",
    "WebhookDelivery",
    "WebhookEndpoint",
    "WebhookFeed",
]
