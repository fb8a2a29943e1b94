"""A turn as Jupyter messages: display outputs, deltas for the page, text for terminals."""
