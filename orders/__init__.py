"""What a shop brings: orders, lines, payments, shipments, and the order state machine over them."""
