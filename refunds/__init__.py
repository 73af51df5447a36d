"""The refund domain: pure rules, rows, services as the only writer, and the doors into them."""
