"""Search: understand → retrieve → fuse → rank → shape."""
