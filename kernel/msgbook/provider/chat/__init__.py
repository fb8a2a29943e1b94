"""The chat API: `POST /chat/completions`."""
