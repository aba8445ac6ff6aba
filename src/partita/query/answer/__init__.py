"""From noisy numbers to what people see: estimators, intervals and results."""
