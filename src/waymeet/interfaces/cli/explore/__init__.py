"""Commands that explore the link graph."""
