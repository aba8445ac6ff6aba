"""An assay: a second, independent opinion on every charge, by trying it on made-up rows before it is booked."""
