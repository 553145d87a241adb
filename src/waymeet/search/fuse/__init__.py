"""Fuse ranked lists into one list of candidates."""
