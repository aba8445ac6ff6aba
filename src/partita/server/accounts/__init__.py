"""Who may ask, look or decide: accounts with roles, kept as acts in the ledger."""
