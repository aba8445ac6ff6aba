"""Batches: many questions priced, released and estimated together."""
