"""The path of a question: the second opinion, the pace, the charge, the one reading, and alarms."""
