"""Commands that set up a project, an agent or a server."""
