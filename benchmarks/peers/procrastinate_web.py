"""The door of the chain on procrastinate: the job is deferred in the transaction that writes the refund."""

from django.urls import path

from benchmarks.peers.procrastinate_tasks import defer_refund
from benchmarks.peers.web import door, ready

urlpatterns = [path("readyz", ready), path("procrastinate/<str:order>", door(defer_refund))]
