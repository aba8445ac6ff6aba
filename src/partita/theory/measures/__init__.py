"""The open family of measures: one file each, a loss that knows its kind."""
