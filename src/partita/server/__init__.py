"""A curator for a team: accounts, an HTTP interface and pages, in one process over one ledger."""
