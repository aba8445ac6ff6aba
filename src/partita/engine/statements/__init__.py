"""Programs as SQL: sanitised columns, kept rows, joins, growth, and the proof that no row makes a statement fail."""
