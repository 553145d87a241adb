"""Signing in for writing: one-time codes, sessions of browsers, checks of forms."""
