"""Lessons: the same task done in several ways, side by side."""
