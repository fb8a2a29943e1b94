"""The context of a prompt: macros, references, project rules and images, and their record."""
