"""Receipts of single releases, and what the receipts of several organisations come to."""
