"""The only writer of refunds: each service locks the orders, decides on fresh rows, writes, and wakes after commit."""
