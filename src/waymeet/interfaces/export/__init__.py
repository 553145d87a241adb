"""The static export: a site of plain files, with a search that runs in the browser."""
