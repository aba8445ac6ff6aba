"""A guarantee in words and pictures, for the person in the data, the analyst and the officer."""
