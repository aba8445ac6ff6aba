"""Very many adaptive queries: multiplicative weights, online and offline."""
