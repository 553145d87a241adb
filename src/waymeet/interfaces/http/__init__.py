"""The door for programs: HTTP with a description (OpenAPI 3.1) made from the very types that are decoded and sent.

`ways` is the table of what can be asked where; `answering` takes a request through it, `jobs` runs indexing with its
progress, `openapi` describes it all, `metrics` counts. Everything passes `door` first, which lets in whom it may
(`terms`) and puts every failure as a problem (`problems`). `app` puts the parts together. The library is imported only
when a server is made.
"""
