"""Defines the target for a Python function that runs in the process of brokerfuzz."""

import asyncio
import inspect
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any

from brokerfuzz.errors import TargetError
from brokerfuzz.schemas.headers import Headers
from brokerfuzz.targets.answers import Answer
from brokerfuzz.targets.call_server import description_of, meaning_of, rejects_by_default
from brokerfuzz.targets.target import CALL_IN_PYTHON, Message
from brokerfuzz.targets.wsgi_target import SynchronousTarget


class FunctionTarget(SynchronousTarget):
    """A target that passes each message as bytes to a function. The function's results have the same meaning as for
    `CallTarget`.

    The function runs in this process, so it can be defined inside another function. An asynchronous function runs in
    the event loop of the campaign. `send` raises `TargetError` if the function returns a value that is not a valid
    answer, such as a list.
    """

    advice = CALL_IN_PYTHON
    runs_in_shell = False

    def __init__(
        self,
        function: Callable[[bytes], Any],
        *,
        in_caller: bool = False,
        timeout: float = 10.0,
        secrets: Mapping[str, str] | None = None,
    ) -> None:
        name = getattr(function, "__qualname__", type(function).__name__)
        super().__init__(name, in_caller=in_caller, timeout=timeout, secrets=secrets)
        self.name = name
        self._function = function

    @property
    def is_asynchronous(self) -> bool:
        return inspect.iscoroutinefunction(self._function)

    def can_send(self, body: bytes, headers: Headers = ()) -> bool:
        return not headers

    def reproduction(self, body: bytes, headers: Headers = ()) -> str:
        """Returns Python code that calls the function."""
        return f"{self.name}({body!r})"

    async def send(self, message: Message) -> Answer:
        if not self.is_asynchronous:
            return await super().send(message)
        started, limit = perf_counter(), asyncio.timeout(self.timeout)
        try:
            async with limit:
                return self._meaning(await self._function(message.body), perf_counter() - started)
        except Exception as problem:
            return self.no_answer() if limit.expired() else self._exception(problem, perf_counter() - started)

    def _called(self, body: bytes, headers: Sequence[tuple[str, str]]) -> Answer:
        started = perf_counter()
        try:
            return self._meaning(self._function(body), perf_counter() - started)
        except KeyboardInterrupt:
            raise
        except BaseException as problem:
            return self._exception(problem, perf_counter() - started)

    def _exception(self, problem: BaseException, seconds: float) -> Answer:
        if isinstance(problem, TargetError):
            raise problem
        if rejects_by_default(problem):
            return Answer("rejected", reason=self.secrets.hide(description_of(problem)), seconds=seconds)
        return self.crash(problem, seconds)

    def _meaning(self, result: Any, seconds: float) -> Answer:
        if (meaning := meaning_of(result)) is not None:
            kind, reason = meaning
            return Answer(kind, reason=self.secrets.hide(reason), seconds=seconds)
        remedy = "return None or True to accept the message; return False or raise ValueError to reject it"
        raise TargetError(f"{self.name} returned {type(result).__name__}, which is not a valid answer: {remedy}")
