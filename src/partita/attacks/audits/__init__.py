"""Audits: anything run on two inputs, and a lower confidence bound on its privacy loss."""
