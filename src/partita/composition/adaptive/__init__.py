"""Composition for adaptive analysts: filters, odometers, slots, and interactive releases side by side."""
