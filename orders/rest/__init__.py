"""What every REST door shares: bodies, fields, keys, channels, repeated requests, pages and problems."""
