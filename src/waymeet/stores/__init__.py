"""Backends of the `Store` port.

`memory` is the reference implementation: simple enough to verify by reading. `sqlite` keeps an index in one SQLite file
and derived segment files. `segments` is the format of those files. `shared` holds the rules that must be the same in
every backend: BM25F, filters, link resolution, vectors, validation.
"""
