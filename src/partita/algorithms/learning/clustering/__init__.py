"""Private k-means: centres from a noisy histogram, refined by noisy means."""
