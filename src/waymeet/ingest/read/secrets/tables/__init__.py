"""The rules of secret detection as tables, with a source for each."""
