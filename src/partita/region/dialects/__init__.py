"""The open family of dialects: how each engine says what statements are made of, one file each with its proof."""
