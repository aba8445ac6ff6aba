"""What a curator hands over: answers, outcomes, quotations and certificates."""
