"""Who decides about a tool call: paths, policy, rules, trust, and the question that a person is asked."""
