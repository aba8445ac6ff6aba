"""A book for readers: its certificates, how its losses grew, and an export that anyone can check."""
