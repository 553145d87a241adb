"""What stands behind the Embedder port."""
