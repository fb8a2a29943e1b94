"""Who answers: agents with their properties, and the rules and skills that they work by."""
