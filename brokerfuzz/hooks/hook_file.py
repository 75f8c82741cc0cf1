"""Loads a Python file or a module with hooks, and checks the hooks before the first message is sent.

For a campaign on a cluster, brokerfuzz sends the text of the file to the workers. A module is not sent, so it must be
installed on the cluster.
"""

import inspect
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from brokerfuzz.errors import HookError
from brokerfuzz.file_contents import read_file
from brokerfuzz.targets.call_server import description_of
from brokerfuzz.targets.threads import user_traceback
from brokerfuzz.wording import listed

Function = Callable[..., Any]

PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "authenticate": (),
    "before_request": ("request",),
    "classify": ("answer",),
    "after_answer": ("case", "answer"),
}
"""Maps the name of each hook to the names of its parameters."""

_CLOSE = 0.75
"""The minimum similarity (from 0 to 1) between the name of a misspelled hook and its correct name."""


@dataclass(frozen=True)
class HookFile:
    """A file or a module with hooks. `source` is the text of the file, or None for a module."""

    name: str
    source: bytes | None

    def functions(self) -> Mapping[str, Function]:
        """Raises `HookError` if the file cannot be loaded, if a hook cannot be called, or if the file defines no
        hook.
        """
        module = self._module()
        found = {name: function for name in PARAMETERS if (function := getattr(module, name, None)) is not None}
        for name, function in found.items():
            self._check(name, function)
        for name, function in vars(module).items():
            close = (
                get_close_matches(name, set(PARAMETERS) - set(found), n=1, cutoff=_CLOSE)
                if inspect.isfunction(function)
                else []
            )
            if close and name not in PARAMETERS and function.__module__ == module.__name__:
                raise HookError(
                    f"{place_of(self.name, function)}: {name} is not the name of a hook: rename the function to "
                    f"{close[0]}"
                )
        if not found:
            raise HookError(f"{self.name} defines no hook: define at least one of {listed(PARAMETERS, 'or')}")
        return found

    def _module(self) -> ModuleType:
        try:
            return import_module(self.name) if self.source is None else self._executed(self.source)
        except SyntaxError as problem:
            raise HookError(
                f"{problem.filename or self.name}, line {problem.lineno}: {problem.msg}: correct this error in the "
                "hooks"
            ) from None
        except ModuleNotFoundError as problem:
            if self.source is None and problem.name and self.name.startswith(problem.name):
                raise HookError(
                    f"the module {self.name} with the hooks does not exist: specify a .py file or an existing module"
                ) from None
            raise self._broken(problem) from None
        except (Exception, SystemExit) as problem:
            raise self._broken(problem) from None

    def _executed(self, source: bytes) -> ModuleType:
        module = ModuleType("brokerfuzz_user_hooks")
        module.__file__ = self.name
        sys.modules[module.__name__] = module  # the module `dataclasses` looks here for the types of fields
        exec(compile(source, self.name, "exec"), module.__dict__)  # noqa: S102 - the user gave this file on the command line
        return module

    def _broken(self, problem: BaseException) -> HookError:
        lines = [frame.lineno for frame in traceback.extract_tb(problem.__traceback__) if frame.filename == self.name]
        at = f", line {lines[-1]}" if lines else ""
        return HookError(
            f"{self.name}{at}: the hooks cannot be loaded: {described(problem)}; correct this error in the hooks",
            details=user_traceback(problem),
        )

    def _check(self, name: str, function: Any) -> None:
        signature = f"def {name}({', '.join(PARAMETERS[name])})"
        if not callable(function):
            raise HookError(f"{self.name}: {name} is not a function: write `{signature}`")
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
            raise HookError(
                f"{place_of(self.name, function)}: {name} must be an ordinary function, not a coroutine or a "
                f"generator: write `{signature}`"
            )
        try:
            inspect.signature(function).bind(*PARAMETERS[name])
        except TypeError:
            raise HookError(
                f"{place_of(self.name, function)}: {name} does not have the expected parameters: write `{signature}`"
            ) from None
        except ValueError:  # for example, a function written in C has no signature
            return


def hook_file(name: str) -> HookFile:
    """`name` is the name of a `.py` file or of a module. Raises `HookError` if the file cannot be read."""
    if not name.endswith(".py"):
        if "" not in sys.path and str(Path.cwd()) not in sys.path:
            sys.path.insert(0, str(Path.cwd()))
        return HookFile(name, None)
    try:
        return HookFile(name, read_file(name))
    except OSError as problem:
        raise HookError(
            f"the hooks {name} cannot be read: {problem.strerror or problem}; specify a readable .py file"
        ) from None


def place_of(name: str, function: Any) -> str:
    """Returns the file and the line of a function: `hooks.py, line 12`."""
    code = getattr(function, "__code__", None)
    return name if code is None else f"{code.co_filename}, line {code.co_firstlineno}"


def described(problem: BaseException) -> str:
    """Describes an exception that a hook raised, on one line."""
    return " ".join(description_of(problem).split())
