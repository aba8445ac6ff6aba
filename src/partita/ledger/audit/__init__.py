"""Audits of a book: chain, states and balances counted anew, and what old versions booked too low."""
