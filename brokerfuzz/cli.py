"""Combines the commands, starts them, and prints their errors.

This module imports only click and modules that load fast, so that `--help` is fast. Each command imports its other
modules when it runs. A command returns its exit status: 0 for success, 1 for findings, such as an invalid message.
After an error, the exit status is 2, and standard error contains one line about the error.
"""

import gc
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from types import FrameType
from typing import Any, NoReturn

import click

from brokerfuzz.commands import streams
from brokerfuzz.commands.output import COMPLETE, NAME, print_error
from brokerfuzz.errors import BrokerfuzzError, ContractError, HookError, problem_of
from brokerfuzz.exit_status import FAILED, INTERRUPTED, PIPE_CLOSED
from brokerfuzz.option import GIVEN
from brokerfuzz.version import __version__

COMMANDS = {
    "check": "Judge messages and explain the verdicts.",
    "coverage": "Show which parts of the contract a corpus covers.",
    "rules": "List the rules of the contract and the questions that it leaves open.",
    "explain": "Explain a rule, technique, ambiguity, bug, case or finding.",
    "contract": "Begin your own contract, and check what can be tested of it.",
    "export": "Write a corpus: messages with their verdicts.",
    "corpus": "Show, compare and verify corpora.",
    "fire": "Send cases to a target and report its wrong answers.",
    "replay": "Send findings again and report which findings are gone.",
    "serve": "Run the reference service, with or without seeded bugs.",
    "init": "Write a configuration file that explains every setting.",
    "completion": "Print a shell script that enables tab completion.",
}
"""Maps the name of each command to its description in the help. The module `brokerfuzz.commands.NAME` is imported only
if the command is used, so that the help is fast.
"""


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    print_error(str(message))


class Commands(click.Group):
    """The group of all commands. It also handles the exceptions of the commands."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Runs a command and exits. With `standalone_mode=False`, the method returns the exit status and raises errors
        instead.
        """
        run = partial(super().main, args, prog_name or NAME, complete_var or COMPLETE, standalone_mode=False, **extra)
        if not standalone_mode:
            return run()
        streams.prepare()
        warnings.showwarning = _show_warning
        sys.exit(_status(run))

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"brokerfuzz.commands.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and (close := get_close_matches(name, COMMANDS, n=1)):
            ctx.fail(f"No such command {name!r}: did you mean {close[0]!r}?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command and flushes its output."""
        try:
            status = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            _discard_output()
            raise click.exceptions.Exit(PIPE_CLOSED) from None
        except (click.ClickException, click.exceptions.Exit, click.Abort, OSError):
            raise
        except Exception as problem:
            raise _as_contract_error(problem, ctx.meta.get(GIVEN, {}).get("contract")) from problem
        return status


def _as_contract_error(problem: Exception, folder: str | None) -> Exception:
    """Converts an unexpected error to a `ContractError` if a changed contract is used, because the change may be the
    cause.
    """
    if folder is None or isinstance(problem, BrokerfuzzError):
        return problem
    return ContractError(
        f"brokerfuzz cannot use the contract in {folder} ({problem_of(problem)}): undo your last changes to the "
        "contract"
    )


def _status(run: Callable[[], int | None]) -> int:
    try:
        return run() or 0
    except click.Abort:
        return INTERRUPTED
    except click.exceptions.NoArgsIsHelpError as problem:
        problem.show()
        return FAILED
    except click.UsageError as problem:
        return print_error(f"{problem.format_message().rstrip('.')} (see {_help_of(problem.ctx)})")
    except click.ClickException as problem:
        return print_error(problem.format_message())
    except OSError as problem:
        _discard_output()
        return print_error(
            f"{problem.filename or 'the output'} cannot be read or written: {problem.strerror or problem}; specify "
            "another file or free disk space"
        )
    except Exception as problem:
        if isinstance(problem, BrokerfuzzError):
            if isinstance(problem, HookError) and problem.details:
                click.echo(problem.details, err=True)
            return print_error(str(problem))
        traceback.print_exc()
        return print_error(
            f"this is a bug in brokerfuzz {__version__}: please report the bug with the lines above, your command, "
            "and its input files"
        )


def _help_of(ctx: click.Context | None) -> str:
    return f"{ctx.command_path if ctx else NAME} --help"


def _discard_output() -> None:
    """Ignores all further output. Otherwise, Python would report an error when it exits."""
    with suppress(OSError, ValueError):  # in tests, the stream has no file
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _treat_as_ctrl_c(*names: str) -> None:
    """After signals such as `SIGTERM`, brokerfuzz removes incomplete files and reports its findings, as after Ctrl-C.

    The function ignores signals that already have a handler, and signals that the operating system lacks.
    """
    for number in (getattr(signal, name) for name in names if hasattr(signal, name)):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _press_ctrl_c)


def _press_ctrl_c(number: int, frame: FrameType | None) -> None:
    """Interrupts the command like Ctrl-C. A shell can make a background process ignore Ctrl-C, but this function also
    interrupts such a process.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.default_int_handler(number, frame)
    signal.raise_signal(signal.SIGINT)


def main() -> NoReturn:
    if signal.getsignal(signal.SIGINT) == signal.SIG_DFL:  # set by `__main__`
        signal.signal(signal.SIGINT, signal.default_int_handler)
    _treat_as_ctrl_c("SIGTERM", "SIGHUP")
    gc.set_threshold(100_000, 50, 100)  # Python's default takes a quarter of the time that the catalogue needs
    try:
        commands()
    except SystemExit:
        gc.freeze()  # avoids Python's final garbage collection, which would take as long as exporting 10,000 cases
        raise
    raise AssertionError("commands() exits")


@click.group(
    NAME,
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    invoke_without_command=False,
)
@click.version_option(__version__, prog_name=NAME, message="%(prog)s %(version)s")
@click.pass_context
def commands(ctx: click.Context) -> None:
    """Generate tests from the message contract of an offer broker. The tests are messages that a program must accept,
    must reject, or may accept or reject.

    \b
    Begin with:
      brokerfuzz fire --demo                        test the built-in reference service
      brokerfuzz fire http://127.0.0.1:8000/offers  test your service
      brokerfuzz check offer.json                   judge a message

    Exit status: 0 success; 1 findings, such as an invalid message; 2 usage or environment error.

    The environment variable NO_COLOR turns colours off, and FORCE_COLOR turns them on.
    """
    if os.environ.get("NO_COLOR"):
        ctx.color = False
    elif os.environ.get("FORCE_COLOR"):
        ctx.color = True


if __name__ == "__main__":
    main()
