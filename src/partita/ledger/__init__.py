"""The durable book of everything ever released: charge first, atomic, append-only, hash-chained."""
