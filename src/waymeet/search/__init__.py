"""The road of one query: understand → retrieve (lexical, vector, graph) → fuse → shape."""
