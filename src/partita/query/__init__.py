"""Questions: tables, SQL and a builder, plans, how far one row can move them, and what they cost."""
