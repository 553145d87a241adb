"""One module per operation: its request, its answer, and the function that computes it."""
