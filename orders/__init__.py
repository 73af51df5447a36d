"""Orders as the shop tells them: lines, payments, shipments, and the order state machine."""
