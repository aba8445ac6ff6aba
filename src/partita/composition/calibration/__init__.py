"""Calibration: the least noise that stays within a promised total, and what a price buys."""
