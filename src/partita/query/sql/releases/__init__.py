"""Statements around releases: what is released, what is computed from it, and in which order."""
