"""Webhooks to shops: where they go, of what, sending them, and those given up."""
