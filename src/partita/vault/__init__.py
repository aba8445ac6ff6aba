"""The vault: batches of sanitised, truncated rows on disk, sealed once and named by the ledger."""
