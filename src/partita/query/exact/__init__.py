"""The exact side of a question: tallies an engine computes, measurements made of them, and their sensitivity."""
