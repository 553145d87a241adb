"""Find one document, section or symbol by its name or id."""
