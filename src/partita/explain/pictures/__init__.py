"""Pictures of guarantees and releases, drawn with matplotlib, readable in grey and by the colour-blind."""
