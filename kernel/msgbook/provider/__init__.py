"""Where the words come from: one seam, the real provider and the built-in demo behind it."""
