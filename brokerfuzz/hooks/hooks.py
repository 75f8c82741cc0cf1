"""Calls the hooks of a file, and checks the values that the hooks return."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from brokerfuzz.errors import HookError, quoted
from brokerfuzz.hooks.hook_file import HookFile, described, place_of
from brokerfuzz.hooks.requests import SentCase
from brokerfuzz.schemas.headers import HEADER_NAME
from brokerfuzz.targets.answers import ANSWER_KINDS, Answer
from brokerfuzz.targets.http_messages import Request
from brokerfuzz.targets.threads import CallThread, HangingError, line_of, user_traceback
from brokerfuzz.wording import listed

_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")


class Hooks:
    """The hooks of a file. `seconds` is the time limit for each call of a hook. Every method raises `HookError` if its
    hook fails. A `Hooks` object can be sent to another process, which loads the file again.
    """

    def __init__(self, file: HookFile, seconds: float) -> None:
        self.file, self.seconds = file, seconds
        self._functions = file.functions()
        self._thread: CallThread | None = None
        self._hide: Callable[[str], str] = str

    def __reduce__(self) -> tuple[Any, ...]:
        return Hooks, (self.file, self.seconds)

    def __contains__(self, name: str) -> bool:
        return name in self._functions

    def open(self, hide: Callable[[str], str]) -> None:
        """Prepares the hooks for the running event loop. `hide` removes secrets from the texts of errors."""
        self._thread, self._hide = CallThread(), hide

    def close(self) -> None:
        if self._thread is not None:
            self._thread.close()
            self._thread = None

    async def authenticate(self) -> tuple[tuple[str, str], ...]:
        """Calls the hook `authenticate`, and returns the headers for all requests."""
        headers = await self._called("authenticate")
        if not isinstance(headers, Mapping):
            raise self._wrong("authenticate", headers, "a dictionary with headers")
        return self._checked("authenticate", tuple(headers.items()))

    async def prepared(self, request: Request) -> Request:
        """Returns the request with the headers that the hook `before_request` has set."""
        changed = await self._called("before_request", request)
        if not isinstance(changed, Request):
            raise self._wrong("before_request", changed, "a Request, such as request.with_header(NAME, VALUE)")
        if replace(changed, headers=request.headers) != request:
            raise HookError(
                f"{self._place('before_request')}: before_request changed more than the headers: change only the "
                "headers"
            )
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
            return await self._thread.result(partial(self._functions[name], *arguments), self.seconds)
        except HangingError as hanging:
            raise HookError(self._hangs(name, line_of(hanging, self._functions[name].__code__.co_filename))) from None
        except Exception as problem:
            raise self._failed(name, problem) from None

    def _hangs(self, name: str, line: int | None) -> str:
        at = "" if line is None else f", and is at line {line}"
        return (
            f"{self._place(name)}: the hook {name} did not return within {self.seconds:g} s{at}: correct the hook, "
            "or use a longer --timeout"
        )

    def _failed(self, name: str, problem: Exception) -> HookError:
        raised, details = self._hide(described(problem)), self._hide(user_traceback(problem))
        return HookError(
            f"{self._place(name)}: the hook {name} raised {raised}; correct this error in the hook", details=details
        )

    def _wrong(self, name: str, returned: Any, expected: str) -> HookError:
        return HookError(
            f"{self._place(name)}: the hook {name} returned {self._hide(quoted(returned))}: return {expected}"
        )

    def _checked(self, name: str, headers: tuple[Any, ...]) -> tuple[tuple[str, str], ...]:
        for header in headers:
            is_pair = isinstance(header, tuple) and len(header) == 2 and all(isinstance(part, str) for part in header)
            if not is_pair or not HEADER_NAME.fullmatch(header[0]) or not _VALUE.fullmatch(header[1]):
                shown = header[0] if isinstance(header, tuple) and header else header  # the value may be a secret
                raise HookError(
                    f"{self._place(name)}: the hook {name} returned an invalid header {quoted(shown)}: use strings "
                    "without line breaks"
                )
        return headers

    def _place(self, name: str) -> str:
        return place_of(self.file.name, self._functions[name])
