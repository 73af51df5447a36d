"""The refund doors, on a real PostgreSQL."""
