"""Attacks on made-up people: each against a curator without protection, and against Partita."""
