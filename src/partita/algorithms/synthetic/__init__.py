"""Synthetic data: graphical models fitted to noisy marginal tables, and rows made from them."""
