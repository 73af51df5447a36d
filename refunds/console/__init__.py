"""The agent console: a door like the API. It reads selectors, writes through `refunds.services.acts`, holds no rule."""
