"""Loads of tables with many columns: exact while few are asked about, bounds beyond."""
