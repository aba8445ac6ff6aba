"""Exact composition: totals of privacy losses, rounded against ourselves."""
