"""Message files and notebooks on disk."""
