"""Django's PostgreSQL backend, mended: a kept connection is looked at without asking the server (`base`)."""
