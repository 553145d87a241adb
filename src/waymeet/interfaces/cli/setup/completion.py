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


@click.command(epilog=_EPILOG)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> int:
    """Print a script for shell completion of commands, options, settings and files.

    Nothing is installed: save the script where your shell looks for it.
    """
    from click.shell_completion import get_completion_class

    completion = get_completion_class(shell)
    root = click.get_current_context().find_root()
    if completion is not None:  # click supports these three shells
        click.echo(completion(root.command, {}, "waymeet", "_WAYMEET_COMPLETE").source())
    return 0
