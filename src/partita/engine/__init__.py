"""Engines: the only code that reads protected rows, and the exact integers they give back."""
