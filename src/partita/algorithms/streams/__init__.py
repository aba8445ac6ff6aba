"""Streams: continual counting, by running schemes and their factors."""
