"""The door for algorithms: computations that state their losses before they see a row."""
