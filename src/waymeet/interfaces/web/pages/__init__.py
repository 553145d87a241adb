"""The pages: each decodes its query string, calls operations and fills a template."""
