"""The mathematics of privacy: distances, losses and what they mean; no randomness, clock, disk or database."""
