"""`waymeet skill`."""

import click
import msgspec

from waymeet.interfaces.cli.common import print_json, say
from waymeet.interfaces.cli.write.options import Call, entry_manual, with_options
from waymeet.interfaces.cli.write.render import as_json as shown_json
from waymeet.interfaces.cli.write.subcommands import entry_group

command = entry_group(
    "skills",
    "Keep skills: how something is done, step by step, and the phrases that call for it.",
    """\
  waymeet skill add "Release" --trigger "ship it" --step "Run make test"
  waymeet skill list        also SKILL.md files anywhere in the project
  waymeet skill use release
""",
)


@command.command(
    "use",
    help="Print a skill and count that it was used. The count is kept beside the index.",
    epilog=entry_manual("skills", "use {}", "use {} --json", exits={0: "printed"}),
)
@click.argument("reference", metavar="NAME|PATH|TITLE")
@with_options()
def _use(call: Call, reference: str) -> int:
    with call.notebook("skills") as entries:
        item, usage = entries.use(reference)
    if call.as_json:
        print_json({**shown_json(item), "usage": msgspec.to_builtins(usage)})
    else:
        say(item.text.removesuffix("\n"))
        say(f"{item.id} used {usage.count}×", err=True)
    return 0
