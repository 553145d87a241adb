"""The HTTP server and its OpenAPI description.

`routes` is the table of routes, `endpoints` decodes a request and calls its operation, `index_jobs` runs indexing with
progress, `openapi` describes the interface, `metrics` counts requests. Every request passes `middleware`, which applies
the rules of `access` and turns errors into `problems`. `app` puts the parts together, `process` runs the server.
"""
