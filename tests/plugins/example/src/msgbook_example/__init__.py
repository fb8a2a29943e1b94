"""A tool and a provider for msgbook."""
