"""Plans as documents: plain JSON, and the vocabulary of dp_accounting."""
