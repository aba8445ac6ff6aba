"""The noise of a question: strategy, choice, private partition selection, quote and accuracy."""
