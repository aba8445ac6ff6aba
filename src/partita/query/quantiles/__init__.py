"""Quantiles: chosen by rank among all values a column may hold, and what the choice costs."""
