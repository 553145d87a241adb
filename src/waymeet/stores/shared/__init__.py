"""Functions that every store backend shares."""
