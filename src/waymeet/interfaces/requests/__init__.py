"""Requests and answers that all interfaces share.

A request is a frozen struct with flat fields, each with a description and bounds. The schemas of MCP tools and of the
HTTP API are generated from the same types that decode the requests. A plain function of a project and a request
computes the answer and raises only `WaymeetError`. `operations` is the table of all requests.
"""
