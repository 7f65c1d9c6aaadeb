"""The observer: what became of each lease, worked out from the active sets alone."""
