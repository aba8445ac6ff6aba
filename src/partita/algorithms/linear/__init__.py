"""Linear queries: workloads, strategies, marginal tables, and the schemes that release them."""
