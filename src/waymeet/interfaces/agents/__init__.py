"""Registration of the MCP server in the settings files of agents."""
