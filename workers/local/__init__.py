"""Local services: PostgreSQL, Valkey and the product's processes as children of one supervisor."""
