"""The inbox: takes the mail and SMS of development and tests, and shows them. A process of its own."""
