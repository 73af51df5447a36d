"""Addresses of the refund doors below /api/v1/."""

from django.urls import path

from refunds import webhooks
from refunds.api import (
    acts,
    asking,
    books,
    cases,
    credit_notes,
    evidence,
    feed,
    incidents,
    manifests,
    people,
    returns,
    store_credit,
)

urlpatterns = [
    path("orders/<str:number>/refunds", asking.OrderRefunds.as_view()),
    path("orders/<str:number>/refunds/preview", asking.RefundPreview.as_view()),
    path("orders/<str:number>/cancel", asking.OrderCancel.as_view()),
    path("refunds", cases.Refunds.as_view()),
    path("refunds/<str:number>", cases.RefundCase.as_view()),
    path("refunds/<str:number>/credit-note", credit_notes.CreditNoteDoor.as_view()),
    path("refunds/<str:number>/pickup-slots", returns.PickupSlots.as_view()),
    path("refunds/<str:number>/events", cases.RefundTrail.as_view()),
    path("refunds/<str:number>/evidence", evidence.Evidence.as_view()),
    path("refunds/<str:number>/evidence/<int:position>", evidence.EvidenceFile.as_view()),
    *(path(f"refunds/<str:number>/{act.action}", acts.door_of(act).as_view()) for act in acts.ACTS),
    path("apis", manifests.Kinds.as_view()),
    path("apis/<str:kind>", manifests.Manifests.as_view()),
    path("apis/<str:kind>/<str:name>", manifests.OneManifest.as_view()),
    path("apis/<str:kind>/<str:name>/approve", manifests.ManifestApproval.as_view()),
    path("apis/<str:kind>/<str:name>/history", manifests.ManifestHistory.as_view()),
    path("apis/<str:kind>/<str:name>/rollback", manifests.ManifestRollback.as_view()),
    path("books/closes", books.BookCloses.as_view()),
    path("books/entries", books.BookEntries.as_view()),
    path("books/report", books.BookReport.as_view()),
    path("events", feed.Events.as_view()),
    path("incidents", incidents.Incidents.as_view()),
    path("incidents/<int:incident_id>/close", incidents.IncidentClosing.as_view()),
    path("incidents/<int:incident_id>/match", incidents.ParcelMatching.as_view()),
    path("people", people.People.as_view()),
    path("people/<int:principal_id>/leave", people.PersonLeaving.as_view()),
    path("returns", returns.Returns.as_view()),
    path("store-credit", store_credit.CustomerCredit.as_view()),
    path("store-credit/spend", store_credit.CreditSpending.as_view()),
    path("webhooks/<str:account>", webhooks.Webhooks.as_view()),
]
