"""The door of the chain on DBOS: the workflow is enqueued in the transaction that writes the refund."""

from django.urls import path

from benchmarks.peers.dbos_queue import enqueue
from benchmarks.peers.web import door, ready

urlpatterns = [path("readyz", ready), path("dbos/<str:order>", door(lambda refund_id: enqueue([refund_id])))]
