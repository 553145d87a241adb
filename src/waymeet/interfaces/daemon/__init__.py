"""The daemon: a running `waymeet serve` process that other commands of the same user use.

`discovery` is the file beside the index by which it is found, `client` sends it requests, `token` is the token for
changes. These modules are cheap to import.
"""
