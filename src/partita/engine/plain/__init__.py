"""Parts of the reference engine: meanings, joins and derived tables, row by row in plain Python."""
