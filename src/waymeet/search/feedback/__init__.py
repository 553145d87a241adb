"""Store and read feedback on results."""
