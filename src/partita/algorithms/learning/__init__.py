"""Learning from sums over rows: every row is a few whole numbers, every sum is exact, every release has noise."""
