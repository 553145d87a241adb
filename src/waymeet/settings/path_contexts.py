"""Path contexts: descriptions of folders from the settings."""

from collections.abc import Mapping


def contexts_of(path: str, contexts: Mapping[str, str]) -> tuple[str, ...]:
    """List the descriptions of a path and of the folders above it, the outermost first.

    >>> contexts_of("services/billing/a.py", {"services/billing": "billing service", "services/": "backends", "x": "-"})
    ('backends', 'billing service')
    """
    if not contexts:
        return ()
    descriptions = {folder.removeprefix("./").strip("/"): text for folder, text in contexts.items()}
    below = path.rstrip("/")
    folders = (folder for folder in descriptions if not folder or below == folder or below.startswith(f"{folder}/"))
    return tuple(descriptions[folder] for folder in sorted(folders, key=len))
