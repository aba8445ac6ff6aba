"""How much has been booked on every record value, pair of values and window of steps, and where it is largest."""
