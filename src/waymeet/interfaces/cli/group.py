"""Commands under one name, such as those of notes."""

from difflib import get_close_matches

import click


class Group(click.Group):
    """A wrong name is answered with the one that was probably meant, else with all there are."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is named first."""
        if args[0] not in self.commands and not args[0].startswith("-") and not ctx.resilient_parsing:
            close = get_close_matches(args[0], self.commands, n=1)
            meant = f"Did you mean {close[0]}?" if close else f"There are: {', '.join(sorted(self.commands))}."
            raise click.UsageError(f"There is no command {args[0]!r}. {meant}", ctx)
        return super().resolve_command(ctx, args)
