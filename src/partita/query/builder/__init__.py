"""The builder: the same questions as SQL, put together in Python."""
