"""A student of the default English model: approximate vectors from counts of tokens."""
