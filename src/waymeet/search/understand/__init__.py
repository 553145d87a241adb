"""Read a query: its words, filters, spelling, acronyms and pasted text."""
