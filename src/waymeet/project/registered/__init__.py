"""The projects of a user: their list, and one search over several of them."""
