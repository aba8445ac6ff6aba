"""Functions of one declared column, evaluated beforehand for each of its public values."""
