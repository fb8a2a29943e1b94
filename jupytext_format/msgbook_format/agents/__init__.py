"""The agents that a conversation defines and names."""
