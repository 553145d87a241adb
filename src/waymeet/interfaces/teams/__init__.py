"""A server of several projects for a team.

Tokens have rights to projects and a limit of requests, and changes are recorded in an audit log.
"""
