"""Find documents that are out of date with the code they describe."""
