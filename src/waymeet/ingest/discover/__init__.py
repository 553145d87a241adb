"""Find the files to index and compare them with the index."""
