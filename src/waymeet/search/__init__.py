"""Search: understand → retrieve → fuse → rank → shape; feedback, lookup and exploration of the link graph."""
