"""A project: the only place where stores, models and recipes meet."""

from waymeet.project.project import Project

__all__ = ["Project"]
