import click
from click.shell_completion import get_completion_class

from brokerfuzz.commands.output import COMPLETE, NAME

SHELLS = ("bash", "zsh", "fish")


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print the shell script that enables tab completion of commands, options, rules, techniques, ambiguities and bugs.

    \b
    Examples:
      bash:  eval "$(brokerfuzz completion bash)"                        in ~/.bashrc
      zsh:   eval "$(brokerfuzz completion zsh)"                         in ~/.zshrc
      fish:  brokerfuzz completion fish > ~/.config/fish/completions/brokerfuzz.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None, "click supports all of SHELLS"
    click.echo(kind(click.get_current_context().find_root().command, {}, NAME, COMPLETE).source(), nl=False)
