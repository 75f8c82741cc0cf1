"""The command line.

It imports click alone, and `options`, which does too, so that `--help` starts at once; each command imports what it needs.

A command returns its exit status: 0 where all is well, 1 where something was found (a finding, an invalid message). What goes
wrong otherwise is one line on standard error and status 2, whoever raised it; see `Commands`.
"""

import gc
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn

import click

from brokerfuzz.commands import catalogue, check, completion, corpus, coverage, explain, export, fire, init, replay, rules, serve, streams
from brokerfuzz.commands.interrupts import treat_as_ctrl_c
from brokerfuzz.commands.output import COMPLETE, FAILED, INTERRUPTED, NAME, PIPE_CLOSED, failed
from brokerfuzz.options import CONTRACT


class Commands(click.Group):
    """All commands, and what becomes of what they raise."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Runs a command and exits. Outside of `standalone_mode` it gives the status back, and raises errors."""
        run = partial(super().main, args, prog_name or NAME, complete_var or COMPLETE, standalone_mode=False, **extra)
        if not standalone_mode:
            return run()
        if COMPLETE in os.environ:
            from brokerfuzz.name_completion import register

            register()
        streams.take()
        sys.exit(_status(run))

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command that was named, and sees its output off."""
        try:
            status = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            _hush()
            raise click.exceptions.Exit(PIPE_CLOSED) from None
        except (click.ClickException, click.exceptions.Exit, click.Abort, OSError):
            raise
        except Exception as problem:
            raise _blamed(problem, ctx.meta.get(CONTRACT)) from problem
        return status


def _blamed(problem: Exception, folder: str | None) -> Exception:
    """What is wrong with a changed contract, if there is one: it may ask for what nobody has thought of."""
    from brokerfuzz.errors import BrokerfuzzError, ContractError

    if folder is None or isinstance(problem, BrokerfuzzError):
        return problem
    told = f"{type(problem).__name__}: {problem}"
    return ContractError(f"brokerfuzz cannot make or judge what the contract in {folder} asks for ({told}): take changes back until it can")


def _status(run: Callable[[], int | None]) -> int:
    """The exit status of a command, or of what it raises."""
    try:
        return run() or 0
    except click.Abort:
        return INTERRUPTED
    except click.exceptions.NoArgsIsHelpError as problem:
        problem.show()
        return FAILED
    except click.NoSuchOption as problem:
        from brokerfuzz.removed import OPTIONS

        told = problem.format_message().rstrip(".")
        if problem.option_name in OPTIONS:
            told = f"no such option: {problem.option_name}; {OPTIONS[problem.option_name]}"
        return failed(f"{told} ({_help_of(problem.ctx)} tells more)")
    except click.UsageError as problem:
        return failed(f"{problem.format_message().rstrip('.')} ({_help_of(problem.ctx)} tells more)")
    except click.ClickException as problem:
        return failed(problem.format_message())
    except OSError as problem:
        _hush()
        return failed(f"{problem.filename or 'the output'} cannot be used: {problem.strerror or problem}; name another file, or make room")
    except Exception as problem:
        from brokerfuzz.errors import BrokerfuzzError

        if isinstance(problem, BrokerfuzzError):
            return failed(str(problem))
        raise


def _help_of(ctx: click.Context | None) -> str:
    return f"{ctx.command_path if ctx else NAME} --help"


def _hush() -> None:
    """Whatever is left to write goes nowhere, so that Python does not complain about it at its end."""
    with suppress(OSError, ValueError):  # a stream without a file, as in tests
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def main() -> NoReturn:
    """The entry point of the `brokerfuzz` command."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_DFL:  # as `__main__` leaves it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    treat_as_ctrl_c("SIGTERM", "SIGHUP")
    try:
        commands()
    except SystemExit as end:
        gc.freeze()  # a last look for cycles among all that an export has made takes as long as some 10,000 cases
        if "pyreqwest" in sys.modules:
            _leave(end.code)
        raise
    raise AssertionError("commands() exits")


def _leave(status: Any) -> NoReturn:
    """Ends the process without ado: threads of the HTTP client that let go of requests while Python shuts down would abort it."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


@click.group(NAME, cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}, invoke_without_command=False)
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=lambda ctx, _, wanted: _print_version(ctx) if wanted else None,
              help="Show the version and exit.")  # fmt: skip
@click.pass_context
def commands(ctx: click.Context) -> None:
    """Generate tests from the message contract of an offer broker: messages that a program must accept, must reject, or may
    treat either way.

    \b
    Begin with:
      brokerfuzz fire                               test the built-in reference service
      brokerfuzz fire http://127.0.0.1:8000/offers  test your service
      brokerfuzz check offer.json                   judge a message

    Exit status: 0 success; 1 findings, such as an invalid message; 2 usage or environment error.
    """
    if os.environ.get("NO_COLOR"):
        ctx.color = False


def _print_version(ctx: click.Context) -> NoReturn:
    from importlib.metadata import PackageNotFoundError, version

    try:
        click.echo(f"{NAME} {version(NAME)}")
    except PackageNotFoundError:
        click.echo(f"{NAME}, not installed")
    ctx.exit()


for _module in (check, coverage, rules, explain, catalogue, export, corpus, fire, replay, serve, init, completion):
    commands.add_command(_module.command)

if __name__ == "__main__":
    main()
