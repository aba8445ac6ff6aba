"""The language of questions: expressions, conditions, keys, aggregates, formulas, and plans made of them."""
