"""The drawing of the link graph: positions of nodes, and what the script of the page gets."""
