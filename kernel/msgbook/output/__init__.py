"""From the events of a turn to what a notebook shows."""
