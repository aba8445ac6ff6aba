"""Laws of the privacy loss: one file a law, each with its transform, its profile and its error bounds."""
