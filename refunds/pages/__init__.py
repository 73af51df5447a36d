"""The customer's pages behind a signed link: what can be refunded, asking for it, and what becomes of it."""
