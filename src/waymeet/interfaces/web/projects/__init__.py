"""Pages of several projects on one server."""
