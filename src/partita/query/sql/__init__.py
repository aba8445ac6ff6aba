"""The SQL front end, a file a clause: one SELECT of aggregates becomes a plan."""
