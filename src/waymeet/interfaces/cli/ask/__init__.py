"""Commands that answer a query."""
