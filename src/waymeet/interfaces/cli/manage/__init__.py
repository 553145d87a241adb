"""Commands that manage the index, models and settings."""
