"""The protocol of PostgreSQL, version 3: tools that know nothing of Partita ask private questions."""
