"""`waymeet migrate-store`."""

from pathlib import Path

import click

from waymeet.errors import NoIndexError, UsageError
from waymeet.interfaces.cli.common import (
    bars,
    format_count,
    json_option,
    open_project,
    print_json,
    project_options,
    say,
)
from waymeet.interfaces.cli.help import manual
from waymeet.project.backend import copy_store
from waymeet.project.store_address import find_address, record_address
from waymeet.settings.ingest import StoreSettings

_EPILOG = manual(
    """
    waymeet migrate-store postgresql://ada@db.example/team    to a server
    waymeet migrate-store sqlite                              back to the index file
    """,
    exits={0: "copied", 3: "a store cannot be used"},
    see="waymeet index --store, waymeet doctor",
)


@click.command("migrate-store", epilog=_EPILOG)
@click.argument("target", metavar="ADDRESS")
@project_options
@json_option
def command(target: str, root: Path | None, index: Path | None, flags: tuple[str, ...], as_json: bool) -> int:
    """Copy the index to ADDRESS, a PostgreSQL server or sqlite, and use it there from now on.

    Nothing is embedded again. The copy is compared by counts before it is used; if it is interrupted, the same command
    continues it. The old index stays where it was.
    """
    with open_project(root, index, flags) as project:
        if not project.is_indexed:
            raise NoIndexError(f"{project.root} is not indexed yet.", f"Run: waymeet index --store {target}")
        settings = StoreSettings(target, project.settings.store.collection)
        address = find_address(project.index_path, project.root, settings)
        if address == project.address:
            raise UsageError(f"The index is on {address} already.", "Name another place.")
        project.close()
        with bars(project.settings.terminal, "Copying documents", "Copying vectors") as progress:
            counts = copy_store(project.address, address, *progress)
        record_address(address)
    if as_json:
        print_json({"store": str(address), "counts": counts})
        return 0
    vectors = format_count(sum(counts.vectors.values()), "vector")
    say(f"Copied {format_count(counts.documents, 'document')}, {format_count(counts.chunks, 'section')}, {vectors}.")
    say(f"The index is on {address} from now on; the old one stays on {project.address}.")
    return 0
