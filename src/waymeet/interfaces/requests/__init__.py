"""What can be asked of Waymeet and what is answered: one set of types and functions for every interface.

A request is a frozen struct with flat fields, each with its description and bounds, so that the schemas of tools and of
the HTTP interface are made from the very types that are decoded. An answer is made by a plain function of a project and
a request, which raises nothing but `WaymeetError`. `operations` is the table of them all.
"""
