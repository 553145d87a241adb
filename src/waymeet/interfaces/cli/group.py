"""A click group that suggests a command for an unknown name."""

from difflib import get_close_matches

import click


class Group(click.Group):
    """A group of subcommands, such as those of notes."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the subcommand named by the first argument."""
        if args[0] not in self.commands and not args[0].startswith("-") and not ctx.resilient_parsing:
            close = get_close_matches(args[0], self.commands, n=1)
            hint = f"Did you mean {close[0]}?" if close else f"Commands: {', '.join(sorted(self.commands))}."
            raise click.UsageError(f"There is no command {args[0]!r}. {hint}", ctx)
        return super().resolve_command(ctx, args)
