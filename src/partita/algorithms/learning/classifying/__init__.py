"""Private logistic regression, in every way there is, and what carries its errors."""
