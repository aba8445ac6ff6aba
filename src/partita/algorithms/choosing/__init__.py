"""Choosing and finding: largest counts, quantiles, heavy hitters, and surveys in the local model."""
