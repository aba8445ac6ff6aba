"""Language models as analysts: a seat with an account and limits of its own, and the tools that reach it by MCP."""
