"""Keeps what hooks and applications print apart from the results, and removes secrets from it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from brokerfuzz.targets.hidden_output import output_without_secrets
from brokerfuzz.targets.secret_masking import Secrets

_secrets: list[Secrets] = []


def hide(secrets: Secrets) -> None:
    """Removes these secrets from everything that `output_of_targets` redirects from now on."""
    _secrets.append(secrets)


@contextmanager
def output_of_targets() -> Iterator[None]:
    """In a `with` block, what hooks and applications print goes to standard error, without secrets. So standard output
    contains only the results. Code of the user cannot end the process.
    """
    _secrets.clear()
    with output_without_secrets(_secrets), _refused_exits():
        yield


@contextmanager
def _refused_exits() -> Iterator[None]:
    """In the `with` block, `os._exit` raises `RuntimeError`. Otherwise, an application or a hook that calls
    `os._exit(0)` would end the command without a result, but with the exit status of a success. Child processes of the
    application can still call `os._exit`.
    """
    original, process = os._exit, os.getpid()

    def refuse(status: int) -> NoReturn:
        if os.getpid() != process:
            original(status)
        raise RuntimeError(f"os._exit({status}) was called")

    os._exit = refuse
    try:
        yield
    finally:
        os._exit = original
