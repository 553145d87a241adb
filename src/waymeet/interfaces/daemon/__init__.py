"""One resident process for an index: kept warm for HTTP, agents and commands alike.

`discovery` is the small file beside the index by which it is found, `asking` asks it (or says that there is none, and
the asker works alone), `serving` is its life: watching, answering, ending. What commands need of it costs next to
nothing to import.
"""
