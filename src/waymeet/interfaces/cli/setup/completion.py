"""`waymeet completion`."""

import click

from waymeet.interfaces.cli.help import manual

_EPILOG = manual(
    """
    waymeet completion bash > ~/.local/share/bash-completion/completions/waymeet
    waymeet completion zsh > ~/.zfunc/_waymeet      with fpath+=~/.zfunc before compinit in ~/.zshrc
    waymeet completion fish > ~/.config/fish/completions/waymeet.fish
    eval "$(waymeet completion bash)"               for this shell only
    """,
    exits={0: "printed"},
)


@click.command(short_help="Print the script by which a shell completes Waymeet's commands.", epilog=_EPILOG)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> int:
    """Print the script by which a shell completes commands, options, recipes, kinds, settings and indexed files.

    Nothing is installed: the script goes to standard output, and you say where it is kept.
    """
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    root = click.get_current_context().find_root()
    if made is not None:  # click knows these three
        click.echo(made(root.command, {}, "waymeet", "_WAYMEET_COMPLETE").source())
    return 0
