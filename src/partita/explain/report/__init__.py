"""The report of a ledger: what is promised, why it holds, everything released, and what it does not cover."""
