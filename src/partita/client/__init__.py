"""The client of a server: the verbs of a session over HTTP, without a curator."""
