"""The kernel's side of the comm to the page (docs/protocol.md)."""
