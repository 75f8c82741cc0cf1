"""Loads a Python file or a module with hooks, checks it before the first message is sent, calls the hooks, and checks
what they return.
"""

import inspect
import json
import re
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from brokerfuzz.errors import HookError, quoted
from brokerfuzz.file_contents import read_file
from brokerfuzz.name_patterns import HTTP_NAME
from brokerfuzz.targets.answers import ANSWER_KINDS, Answer
from brokerfuzz.targets.call_server import description_of
from brokerfuzz.targets.hidden_output import output_without_secrets
from brokerfuzz.targets.http_messages import Request
from brokerfuzz.targets.secret_masking import Secrets
from brokerfuzz.targets.threads import CallThread, HangingError, user_traceback
from brokerfuzz.wording import listed

PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "authenticate": (),
    "before_request": ("request",),
    "classify": ("answer",),
    "after_answer": ("case", "answer"),
}
"""Maps the name of each hook to the names of its parameters."""
_CLOSE = 0.75
"""The minimum similarity (from 0 to 1) between the name of a misspelled hook and its correct name."""
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")


@dataclass(frozen=True)
class SentCase:
    """A message that was sent, with the IDs of the case and the campaign. By default, the headers of the request
    contain both IDs.

    A message that is not a case, such as a shrunk message, has an ID too. If `--fresh` changed a property, `body`
    contains the new value.

    >>> from brokerfuzz.hooks import SentCase
    >>> SentCase("b7e8ef5a8405ebf8", "3f29a1c0", b'{"number":"OFF-1","offerType":"Email"}').value["number"]
    'OFF-1'
    """

    id: str
    campaign_id: str
    body: bytes

    @property
    def value(self) -> Any:
        """The body as a Python object, or None if the body is not JSON."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None


class Hooks:
    """The hooks of the file or module `name`; none if `name` is None. `seconds` is the time limit for each call of a
    hook. Every method raises `HookError` if its hook fails, and the constructor if the hooks cannot be used. These
    errors do not contain the `secrets`, nor does what the file prints while it is loaded.

    A `Hooks` object can be sent to another process, also on another machine, with the text of the file (`source`). A
    module is not sent, so it must be installed there.
    """

    def __init__(self, name: str | None, seconds: float, secrets: Secrets, source: bytes | None = None) -> None:
        self._name, self._seconds, self._source = name or "", seconds, source
        self._secrets = secrets
        self._thread: CallThread | None = None
        try:
            self._functions = {} if name is None else self._loaded()
        except HookError as problem:
            raise HookError(secrets.hide(str(problem)), details=secrets.hide(problem.details)) from None

    def __reduce__(self) -> tuple[Any, ...]:
        return Hooks, (self._name or None, self._seconds, self._secrets, self._source)

    def __contains__(self, name: str) -> bool:
        return name in self._functions

    def open(self) -> None:
        """Prepares the hooks for the running event loop."""
        self._thread = CallThread() if self._functions else None

    def close(self) -> None:
        if self._thread is not None:
            self._thread.close()
            self._thread = None

    # ------------------------------------------------------------------------------------------------ loading

    def _loaded(self) -> dict[str, Callable[..., Any]]:
        if self._source is None and self._name.endswith(".py"):
            self._source = read_file(self._name, HookError, "specify the Python file that contains the hooks")
        try:
            with output_without_secrets(self._secrets):
                module = self._module()
        except (Exception, SystemExit) as problem:
            frames = traceback.extract_tb(problem.__traceback__)
            lines = [
                getattr(problem, "lineno", None),
                *(frame.lineno for frame in frames if frame.filename == self._name),
            ]
            at = f", line {lines[-1]}" if lines[-1] else ""
            explanation = f"the hooks cannot be loaded: {_described(problem)}; correct this error in the hooks"
            explains_itself = isinstance(problem, ModuleNotFoundError | SyntaxError)
            details = "" if explains_itself else user_traceback(problem)
            raise HookError(f"{self._name}{at}: {explanation}", details=details) from None
        functions = {name: function for name in PARAMETERS if (function := getattr(module, name, None)) is not None}
        for name, function in functions.items():
            self._check_parameters(name, function)
        for name, function in vars(module).items():
            close = get_close_matches(name, PARAMETERS.keys() - functions.keys(), n=1, cutoff=_CLOSE)
            if close and inspect.isfunction(function) and function.__module__ == module.__name__:
                where = self._place(function)
                raise HookError(f"{where}: {name} is not the name of a hook: rename the function to {close[0]}")
        if not functions:
            raise HookError(f"{self._name} defines no hook: define at least one of {listed(PARAMETERS, 'or')}")
        return functions

    def _module(self) -> ModuleType:
        if self._source is None:
            if "" not in sys.path and str(Path.cwd()) not in sys.path:
                sys.path.insert(0, str(Path.cwd()))
            return import_module(self._name)
        module = ModuleType("brokerfuzz_user_hooks")
        module.__file__ = self._name
        sys.modules[module.__name__] = module  # the module `dataclasses` looks here for the types of fields
        exec(compile(self._source, self._name, "exec"), module.__dict__)  # noqa: S102 - the user gave this file on the command line
        return module

    def _check_parameters(self, name: str, function: Any) -> None:
        try:
            inspect.signature(function).bind(*PARAMETERS[name])
        except (TypeError, ValueError):
            signature = f"def {name}({', '.join(PARAMETERS[name])})"
            raise HookError(
                f"{self._place(function)}: {name} does not have the expected parameters: write `{signature}`"
            ) from None

    def _place(self, function: Any) -> str:
        code = getattr(function, "__code__", None)
        return self._name if code is None else f"{code.co_filename}, line {code.co_firstlineno}"

    # ------------------------------------------------------------------------------------------------ calls

    async def authenticate(self) -> tuple[tuple[str, str], ...]:
        """Calls the hook `authenticate`, and returns the headers for all requests."""
        headers = await self._called("authenticate")
        if not isinstance(headers, Mapping):
            raise self._wrong("authenticate", headers, "a dictionary with headers")
        return self._checked("authenticate", tuple(headers.items()))

    async def prepared(self, request: Request) -> Request:
        """Returns the request with the headers that the hook `before_request` has set."""
        if "before_request" not in self:
            return request
        changed = await self._called("before_request", request)
        if not isinstance(changed, Request):
            raise self._wrong("before_request", changed, "a Request, such as request.with_header(NAME, VALUE)")
        if replace(changed, headers=request.headers) != request:
            remedy = "change only the headers; a function for --call can put messages into other requests"
            raise self._error("before_request", f"changed more than the headers: {remedy} (see docs/how-to/targets.md)")
        return replace(changed, headers=self._checked("before_request", tuple(changed.headers)))

    async def classified(self, answer: Answer) -> Answer:
        """Returns the answer with the kind that the hook `classify` returns. An answer without an HTTP status keeps its
        kind.
        """
        if "classify" not in self or answer.status is None:
            return answer
        kind = await self._called("classify", answer)
        if kind is None:
            return answer
        if kind not in ANSWER_KINDS:
            raise self._wrong("classify", kind, f"None or one of {listed(ANSWER_KINDS, 'and')}")
        return answer._replace(kind=kind)

    async def after_answer(self, case: SentCase, answer: Answer) -> None:
        if "after_answer" in self and (returned := await self._called("after_answer", case, answer)) is not None:
            raise self._wrong("after_answer", returned, "nothing")

    async def _called(self, name: str, *arguments: Any) -> Any:
        assert self._thread is not None, "the hooks are open"
        try:
            return await self._thread.result(partial(self._functions[name], *arguments), self._seconds)
        except HangingError:
            remedy = "correct the hook, or use a longer --timeout"
            raise self._error(name, f"did not return within {self._seconds:g} s: {remedy}") from None
        except Exception as problem:
            explanation = f"raised {_described(problem)}; correct this error in the hook"
            raise self._error(name, explanation, user_traceback(problem)) from None

    def _checked(self, name: str, headers: tuple[Any, ...]) -> tuple[tuple[str, str], ...]:
        for header in headers:
            is_pair = isinstance(header, tuple) and len(header) == 2 and all(isinstance(part, str) for part in header)
            if not is_pair or not HTTP_NAME.fullmatch(header[0]) or not _VALUE.fullmatch(header[1]):
                shown = header[0] if isinstance(header, tuple) and header else header  # the value may be a secret
                remedy = "use strings without line breaks"
                raise self._error(name, f"returned an invalid header {quoted(shown)}: {remedy}")
        return headers

    def _wrong(self, name: str, returned: Any, expected: str) -> HookError:
        return self._error(name, f"returned {quoted(returned)}: return {expected}")

    def _error(self, name: str, explanation: str, details: str = "") -> HookError:
        where = self._place(self._functions[name])
        hide = self._secrets.hide
        return HookError(f"{where}: the hook {name} {hide(explanation)}", details=hide(details))


def _described(problem: BaseException) -> str:
    """Describes an exception on one line."""
    return " ".join(description_of(problem).split())
