"""The page: search, explanations, documents and status in a browser.

`routes` maps paths to `pages`. A page decodes its query string, calls the same operations as HTTP and MCP (`ask`), and
fills one of `templates`. `html` makes the response, `markdown` and `source` render documents, `static` has the style
sheet and the scripts. Every page is complete without JavaScript.
"""
