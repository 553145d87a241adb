"""Rules that are the same in every backend."""
