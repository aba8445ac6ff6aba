"""Reuse: which questions follow from numbers that were released already, and how released numbers are made to agree."""
