"""How much many releases give away in total: rules, exact numerics, filters, odometers, slots and calibration."""
