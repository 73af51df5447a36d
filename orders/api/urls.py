"""Addresses of the order doors, below /api/v1/."""

urlpatterns: list = []
