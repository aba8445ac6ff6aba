"""The addresses under /v1, one module for each kind of request."""
