"""The noise of a question: strategy, choice, selection, quote and accuracy (its size: `composition.calibration`)."""
