"""Adapters where no peer is needed: signatures, amounts, webhook bodies."""
