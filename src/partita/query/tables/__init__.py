"""Tables: protected ones with their public columns and owners, public ones, and the fixed truncation of owners."""
