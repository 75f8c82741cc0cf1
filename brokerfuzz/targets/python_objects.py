"""Creates the target for an object: a URL, an application, a test client or a function."""

import re
from typing import Any

from brokerfuzz.errors import TargetError, quoted
from brokerfuzz.targets.application_target import ApplicationTarget, parameters_of
from brokerfuzz.targets.called_targets import ClientTarget, FunctionTarget, library_of
from brokerfuzz.targets.http_target import HttpTarget
from brokerfuzz.targets.target import Target

_NAME = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
"""The name of an application, such as `package.module:app`."""
APPLICATION_KINDS = (
    "a URL, an ASGI or WSGI application, a test client (httpx, Starlette, Flask, Django), or a function that gets bytes"
)


def target_for(target: Any, path: str | None, *, in_caller: bool = False, **options: Any) -> Target:
    """Returns the target for an object. For applications and test clients, `path` is the path to which the messages are
    sent.

    The number of parameters of a callable determines its kind: an ASGI application has three parameters, a WSGI
    application two, and a function one. `options` are options of `HttpTarget`. With `in_caller`, synchronous code
    runs in the thread of the caller. Raises `TargetError` if brokerfuzz cannot test the object.
    """
    if isinstance(target, str):
        if _NAME.fullmatch(target):
            raise TargetError(
                f"{target!r} is the name of an application: import the application, and use it instead of its name"
            )
        if path is not None:
            raise TargetError(f"path={path!r} does not apply to a URL: write the path into the URL")
        return HttpTarget(target, **options)
    if isinstance(target, Target):
        return target
    if library_of(target) is not None:
        return ClientTarget(target, path or "/", in_caller=in_caller, **options)
    match parameters_of(target):
        case 1 if path is not None:
            raise TargetError(f"path={path!r} does not apply to a function: remove it")
        case 1:
            return FunctionTarget(target, in_caller=in_caller, **options)
        case 2 | 3:
            return ApplicationTarget(target, path or "/", in_caller=in_caller, **options)
        case _:
            raise TargetError(f"target={quoted(target)} cannot be tested: use {APPLICATION_KINDS}")
