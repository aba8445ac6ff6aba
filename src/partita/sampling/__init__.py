"""Exact samplers: integers whose law is precisely the one that is booked, from random bits passed in."""
