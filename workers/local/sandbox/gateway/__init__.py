"""The gateway side of the sandbox: its protocol, its doors for scripts, its ledger, its webhooks."""
