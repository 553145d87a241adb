"""What stands behind the Store port: one backend each, and the few rules that all of them share.

`memory` is the reference that a reader can check by eye; `sqlite` keeps an index in one file. `bm25f`, `filters`,
`resolve`, `vectors` and `entries` hold what must not differ between backends.
"""
