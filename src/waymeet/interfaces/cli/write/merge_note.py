"""`waymeet note`."""

from waymeet.interfaces.cli.write.subcommands import entry_group

command = entry_group(
    "notes",
    "Write, read and link notes: plain Markdown files of the project.",
    """\
  waymeet note add "Keys are rotated monthly" "By the job rotate." --tag ops
  waymeet note add "Meeting" - < minutes.md
  waymeet note link keys-are-rotated-monthly related_to docs/setup.md
  waymeet note update keys-are-rotated-monthly --version 3f2a9c --body -   refused if somebody else was first
""",
)
