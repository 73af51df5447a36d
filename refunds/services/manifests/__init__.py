"""Manifests: declaring them (`applying`), and making them true (`syncing`, with a file for each kind)."""
