"""Addresses of the order doors, below /api/v1/."""

from django.urls import path

from orders.api import views

urlpatterns = [
    path("orders/<str:number>", views.OrderDoor.as_view()),
    path("orders/<str:number>/shipments", views.ShipmentsDoor.as_view()),
    path("orders/<str:number>/shipments/<str:shipment_id>/<str:fact>", views.CarrierFactDoor.as_view()),
    path("orders/<str:number>/links", views.LinksDoor.as_view()),
]
