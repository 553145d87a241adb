"""Path contexts: what a folder is, as its project says, for everything below it."""

from collections.abc import Mapping


def contexts_of(path: str, contexts: Mapping[str, str]) -> tuple[str, ...]:
    """List what is said of a path and of the folders it lies in, the outermost first.

    >>> contexts_of("services/billing/a.py", {"services/billing": "the billing service", "services/": "what runs", "x": "-"})
    ('what runs', 'the billing service')
    """
    if not contexts:
        return ()
    said = {folder.removeprefix("./").strip("/"): text for folder, text in contexts.items()}
    own = path.rstrip("/")
    fitting = (folder for folder in said if not folder or own == folder or own.startswith(f"{folder}/"))
    return tuple(said[folder] for folder in sorted(fitting, key=len))
