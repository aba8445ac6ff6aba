"""Questions about people: joins of their tables, derived tables, rows gathered and ranked by owner."""
