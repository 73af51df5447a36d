"""What customers read: facts about a refund in, one finished message out. No database, no clock, no network."""
