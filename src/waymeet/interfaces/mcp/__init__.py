"""The server of the Model Context Protocol (MCP), for agents.

`server` combines the parts: `tools` (built from the shared requests), `call_tool` (one call, from arguments to an
answer or an error with a next step), `render` (answers as text for models), `resources`, `prompts`, and
`background_index` (updates the index while the server already answers). `stdio` transports messages over the
descriptors that `stdio_pipes` reserves. `compat` offers tools under the names of other systems. The MCP library is
imported only when a server is made.
"""
