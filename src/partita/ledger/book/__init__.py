"""The book: chained lines in a store, one writer at a time, replayed by whoever opens it."""
