"""The door for agents: a server of the Model Context Protocol.

`server` puts the parts together: `tools` (made from the shared requests), `calling` (one call, from arguments to an
answer or an error that names the next step), `text` (answers as models read them), `resources`, `prompts`, `opening`
(the index is opened and brought up to date while the server answers already). `stdio` carries messages over standard
input and output, which `wires` takes for them. `compat` offers the tools of other systems under their own names. The
library is imported only when a server is made.
"""
