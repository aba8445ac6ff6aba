"""Theorems of composition for plans fixed beforehand, one file each."""
