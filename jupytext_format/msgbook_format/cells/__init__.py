"""One cell of a message file: its head, body, id, attachments and metadata."""
