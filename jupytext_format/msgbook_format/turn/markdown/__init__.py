"""A turn as Markdown and plain text, safe wherever they are shown."""
