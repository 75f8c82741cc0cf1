"""The command line.

This module imports only click and modules that import nothing slow, so that `--help` starts quickly. Each command imports what it needs.

A command returns its exit status: 0 for success, 1 if it found something (a finding, an invalid message). Every error is one line on standard
error and exit status 2: see `Commands`.
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
    """The group of all commands. It handles the exceptions that they raise."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Runs a command and exits. Without `standalone_mode`, it returns the exit status and raises errors."""
        run = partial(super().main, args, prog_name or NAME, complete_var or COMPLETE, standalone_mode=False, **extra)
        if not standalone_mode:
            return run()
        if COMPLETE in os.environ:
            from brokerfuzz.name_completion import register

            register()
        streams.prepare()
        sys.exit(_status(run))

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the chosen command and flushes its output."""
        try:
            status = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            _discard_output()
            raise click.exceptions.Exit(PIPE_CLOSED) from None
        except (click.ClickException, click.exceptions.Exit, click.Abort, OSError):
            raise
        except Exception as problem:
            raise _as_contract_error(problem, ctx.meta.get(CONTRACT)) from problem
        return status


def _as_contract_error(problem: Exception, folder: str | None) -> Exception:
    """Returns an unexpected error as a `ContractError` if a changed contract is in use, because the contract may be the cause."""
    from brokerfuzz.errors import BrokerfuzzError, ContractError

    if folder is None or isinstance(problem, BrokerfuzzError):
        return problem
    reason = f"{type(problem).__name__}: {problem}"
    return ContractError(f"brokerfuzz cannot generate or judge messages of the contract in {folder} ({reason}): undo changes until it can")


def _status(run: Callable[[], int | None]) -> int:
    """Runs a command and returns its exit status, or that of the exception that it raises."""
    try:
        return run() or 0
    except click.Abort:
        return INTERRUPTED
    except click.exceptions.NoArgsIsHelpError as problem:
        problem.show()
        return FAILED
    except click.NoSuchOption as problem:
        from brokerfuzz.removed import OPTIONS

        message = problem.format_message().rstrip(".")
        if problem.option_name in OPTIONS:
            message = f"no such option: {problem.option_name}; {OPTIONS[problem.option_name]}"
        return failed(f"{message} (see {_help_of(problem.ctx)})")
    except click.UsageError as problem:
        return failed(f"{problem.format_message().rstrip('.')} (see {_help_of(problem.ctx)})")
    except click.ClickException as problem:
        return failed(problem.format_message())
    except OSError as problem:
        _discard_output()
        return failed(
            f"{problem.filename or 'the output'} cannot be read or written: {problem.strerror or problem}; specify another file or free disk space"
        )
    except Exception as problem:
        from brokerfuzz.errors import BrokerfuzzError

        if isinstance(problem, BrokerfuzzError):
            return failed(str(problem))
        raise


def _help_of(ctx: click.Context | None) -> str:
    return f"{ctx.command_path if ctx else NAME} --help"


def _discard_output() -> None:
    """Redirects standard output to the null device, so that Python does not report a failed flush when it exits."""
    with suppress(OSError, ValueError):  # tests use a stream without a file
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def main() -> NoReturn:
    """Runs the `brokerfuzz` command: its entry point."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_DFL:  # `__main__` sets this
        signal.signal(signal.SIGINT, signal.default_int_handler)
    treat_as_ctrl_c("SIGTERM", "SIGHUP")
    try:
        commands()
    except SystemExit as end:
        gc.freeze()  # skips the final garbage collection, which takes as long as exporting 10,000 cases
        if "pyreqwest" in sys.modules:
            _exit_now(end.code)
        raise
    raise AssertionError("commands() exits")


def _exit_now(status: Any) -> NoReturn:
    """Exits without Python's shutdown: threads of the HTTP client that release requests during the shutdown would abort the process."""
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
        click.echo(f"{NAME} (not installed: unknown version)")
    ctx.exit()


for _module in (check, coverage, rules, explain, catalogue, export, corpus, fire, replay, serve, init, completion):
    commands.add_command(_module.command)

if __name__ == "__main__":
    main()
