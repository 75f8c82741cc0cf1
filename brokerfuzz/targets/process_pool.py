"""Long-running processes that handle one message after another. The pool starts a process if one is needed, and replaces a process
that has ended.

Each process handles one message at a time. A process gets its next message as soon as brokerfuzz has read the answer to the
previous one. The pool attributes everything that a process does to the current message of this process. There are two exceptions.
If a process ends and certainly did not read its message, the message goes to another process. If a process ends between two
messages, the pool replaces it without a report.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from time import perf_counter
from typing import Literal, NamedTuple, Protocol

from brokerfuzz.errors import TargetError
from brokerfuzz.targets.answers import EXCERPT, Answer, AnswerKind
from brokerfuzz.targets.exit_reason import how_it_ended, in_one_line
from brokerfuzz.targets.process_limits import RESOURCE_ERRORS
from brokerfuzz.targets.processes import Process, cores
from brokerfuzz.targets.secret_masking import Secrets

READY_LIMIT = 60.0
"""Maximum number of seconds until a new process must report that it is ready."""
EXIT_GRACE = 0.5
"""Seconds that a process has to end after its input is closed. After that, it is killed."""
CLOSED_PIPE_GRACE = 0.25
"""Seconds that a process has to end after it closed a pipe. After that, it is treated as still running."""
STARTS = 3
"""Maximum number of processes that get the same message if each of them fails without reading it, and no process has ever answered."""


class Reply(NamedTuple):
    """Something that a process wrote: an answer, or a report that the process is ready or unusable. If `broken` is true, the process
    cannot be used again.
    """

    kind: AnswerKind | Literal["ready", "unusable"]
    reason: str
    body: bytes = b""
    broken: bool = False


class Wire(Protocol):
    """Encodes the messages to one process, and decodes its replies."""

    def encode(self, body: bytes) -> bytes:
        """Returns the bytes that encode the message."""
        ...

    def decode(self, data: bytes) -> Reply | None:
        """Adds the next bytes that the process wrote. Returns the reply if it is now complete, else None. Uses bounded memory."""
        ...

    @property
    def rest(self) -> bytes:
        """The bytes that were read after the end of the last reply."""
        ...


@dataclass(frozen=True, kw_only=True)
class ProcessSettings:
    """How to start a process and communicate with it. If `announces_ready` is true, the process reports when it is ready."""

    name: str
    program: str
    arguments: Sequence[str]
    wire: Callable[[], Wire]
    input_fd: int = 0
    output_fd: int = 1
    environment: Mapping[str, str] | None = None
    announces_ready: bool = False
    secrets: Secrets
    missing: str = "no answer"
    """The words for a missing answer in the description of a timeout."""


class ProcessPool:
    """A limited number of processes. Use `open`, then `send`, then `close`."""

    def __init__(self, settings: ProcessSettings, *, timeout: float, processes: int | None, patience: float) -> None:
        self.settings, self.timeout, self.patience = settings, timeout, patience
        self.answered = False
        self._size = processes or cores()
        self._loop = asyncio.get_running_loop()
        self._queue: deque[PendingRequest] = deque()
        self._idle: list[Worker] = []
        self._workers: set[Worker] = set()
        self._ending: set[Process] = set()
        self._closed = False

    async def open(self) -> None:
        """Starts the first process. Raises `TargetError` if the process cannot be started, or reports that it cannot be used."""
        try:
            worker = self._start()
        except OSError as problem:
            raise self._unusable(f"it cannot be started ({problem.strerror})") from problem
        if self.settings.announces_ready:
            trouble = await worker.startup
            if trouble is not None:
                await self.close()
                raise TargetError(f"{self.settings.name} cannot be called: {trouble}")

    async def close(self) -> None:
        """Lets idle processes end, and kills the others."""
        self._closed = True
        for request in self._queue:
            if not request.answer.done():
                request.answer.set_exception(TargetError(f"{self.settings.name} was closed before it received the message"))
        workers = list(self._workers)
        for worker in workers:
            worker.finish()
        await asyncio.gather(
            *(worker.process.wait_for_end(EXIT_GRACE) for worker in workers), *(process.wait_for_end() for process in list(self._ending))
        )

    async def send(self, body: bytes) -> Answer:
        """Returns the answer to a message. Raises `TargetError` if no process has ever answered a message and every process ends
        before it reads anything.
        """
        request = PendingRequest(body, self._loop.create_future())
        self._queue.append(request)
        self.dispatch()
        try:
            return await request.answer
        finally:
            if request.worker is not None:  # cancelled
                request.worker.kill()

    def dispatch(self) -> None:
        """Assigns waiting messages to idle or new processes."""
        queue = self._queue
        while queue and not self._closed:
            if queue[0].answer.done():
                queue.popleft()
            elif self._idle:
                self._idle.pop().send(queue.popleft())
            elif len(self._workers) < self._size and sum(not worker.ready for worker in self._workers) < len(queue):
                try:
                    self._start()
                except OSError as problem:
                    self.retry(queue.popleft(), f"it cannot be started ({problem.strerror})", inf if problem.errno in RESOURCE_ERRORS else 1)
            else:
                break

    def next(self, worker: "Worker") -> None:
        """Assigns the next message to a process that has become idle."""
        self._idle.append(worker)
        if self._queue:
            self.dispatch()

    def retry(self, request: "PendingRequest", how: str, tries: float = STARTS) -> None:
        """Assigns an unread message to another process. If no process has ever answered, a message is given to at most `tries`
        processes. Retries always end `patience` seconds after the first failure.
        """
        request.worker = None
        if request.answer.done():
            return
        now = self._loop.time()
        request.starts += 1
        request.first_start = request.first_start or now
        if now - request.first_start <= self.patience and (self.answered or request.starts < tries):
            self._loop.call_later(0.0 if request.starts == 1 else 0.025 * 2**request.starts, self._requeue, request)
        elif self.answered:
            request.answer.set_result(Answer("crashed", reason=self.settings.secrets.hide(how), reached=False))
        else:
            request.answer.set_exception(self._unusable(how))

    def _unusable(self, how: str) -> TargetError:
        return TargetError(f"{self.settings.name} cannot be used: {self.settings.secrets.hide(how)}; run it in a shell to see why")

    def start_failed(self, how: str) -> None:
        """Counts a failed start of a process as a try of the message that has waited longest."""
        if self._queue:
            self.retry(self._queue.popleft(), how)

    def leave(self, worker: "Worker", *, ended: bool) -> None:
        """Removes a process from the pool because it has ended or is about to be killed."""
        self._workers.discard(worker)
        if worker in self._idle:
            self._idle.remove(worker)
        if ended:
            self._ending.discard(worker.process)
        else:
            self._ending.add(worker.process)
        if not self._closed:
            self.dispatch()

    def _requeue(self, request: "PendingRequest") -> None:
        self._queue.appendleft(request)
        self.dispatch()

    def _start(self) -> "Worker":
        worker = Worker(self)
        self._workers.add(worker)
        if worker.ready:
            self._idle.append(worker)
        return worker


class PendingRequest:
    """A message without an answer. `worker` is the process that handles the message."""

    __slots__ = ("answer", "body", "first_start", "starts", "worker")

    def __init__(self, body: bytes, answer: "asyncio.Future[Answer]") -> None:
        self.body, self.answer = body, answer
        self.worker: Worker | None = None
        self.starts, self.first_start = 0, 0.0


class Worker:
    """One process, from its start to its end. Raises `OSError` if it cannot be started."""

    def __init__(self, pool: ProcessPool) -> None:
        settings = pool.settings
        self._pool = pool
        self._loop = asyncio.get_running_loop()
        self._wire = settings.wire()
        self._request: PendingRequest | None = None
        self._asked = self._until = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._unrequested: bytes | None = None
        self._has_left = False
        self.ready = not settings.announces_ready
        self.startup: asyncio.Future[str | None] = self._loop.create_future()
        self.process = Process(
            settings.program,
            settings.arguments,
            on_output=self._on_output,
            on_exit=self._on_exit,
            input_fd=settings.input_fd,
            output_fd=settings.output_fd,
            environment=settings.environment,
        )
        if not self.ready:
            self._limit(READY_LIMIT)

    def send(self, request: PendingRequest) -> None:
        """Sends the message."""
        self._request = request
        request.worker = self
        self._asked = perf_counter()
        if self._unrequested is not None:
            self._crashed("answered before it received a message", self._unrequested)
            return
        self._limit(self._pool.timeout)
        self.process.write(self._wire.encode(request.body))
        if self.process.input_closed:
            self._loop.call_later(CLOSED_PIPE_GRACE, self._on_closed_pipe)

    def finish(self) -> None:
        """Lets the process end if it is idle; otherwise kills it."""
        if self._request is None and self.ready:
            self.process.close_input()
        else:
            self.kill()

    def kill(self) -> None:
        """Kills the process and removes it from the pool."""
        self._leave(ended=False)
        self.process.kill()

    # ------------------------------------------------------------------------------------------------ events

    def _on_output(self, data: bytes) -> None:
        if self._has_left:
            return
        if not data:
            self._loop.call_later(CLOSED_PIPE_GRACE, self._on_closed_pipe)
        elif self._request is None and self.ready:
            self._unrequested = (self._unrequested or b"") + data[:EXCERPT] if len(self._unrequested or b"") < EXCERPT else self._unrequested
        else:
            reply = self._wire.decode(data)
            if reply is not None:
                self._on_reply(reply)

    def _on_reply(self, reply: Reply) -> None:
        kind, reason, body, broken = reply
        if kind == "ready" or kind == "unusable" or self._request is None:  # noqa: PLR1714  (type checkers understand only this form)
            self._on_startup_reply(reply)
        elif self._wire.rest:
            self._crashed("answered before it received a message", self._wire.rest)
        else:
            self._pool.answered = self._pool.answered or not broken
            self._answer(kind, reason, body)
            if broken:
                self.kill()
            else:
                self._pool.next(self)

    def _on_startup_reply(self, reply: Reply) -> None:
        if reply.kind == "ready" and not self.ready and not self._wire.rest:
            self.ready = True
            self._no_limit()  # the limit so far was READY_LIMIT
            self._set_startup(None)
            self._pool.next(self)
        elif self._request is not None:
            self._crashed("answered without a message", reply.body)
        else:
            self._unusable(reply.reason if reply.kind == "unusable" else "it writes output before it receives a message")

    def _unusable(self, how: str) -> None:
        waited = self.startup.done()
        self._set_startup(how)
        self.kill()
        if not waited:
            self._pool.start_failed(how)

    def _crashed(self, what: str, data: bytes) -> None:
        self._answer("crashed", f'{what}: "{in_one_line(data)}"', data[:EXCERPT])
        self.kill()

    def _on_closed_pipe(self) -> None:
        """Ends a process that closed a pipe but is still running."""
        if self._has_left or self.process.code is not None:
            return
        if self._request is not None and self.process.unread:
            request, self._request = self._request, None
            self.kill()
            self._pool.retry(request, "it closes its input but keeps running")
        elif self._request is not None:
            if self.process.output_closed:
                self._answer("crashed", "closed its output without an answer", b"")
                self.kill()
        elif not self.ready:
            self._unusable("it closes its output without an answer")
        else:
            self.kill()

    def _on_exit(self, code: int) -> None:
        request, self._request = self._request, None
        had_left = self._has_left
        self._leave(ended=True)
        errors = self.process.errors
        how = how_it_ended(code) + (f": {words}" if (words := errors.last_line) else "")
        if not had_left and not self.ready:
            waited = self.startup.done()
            self._set_startup(how)
            if not waited:
                self._pool.start_failed(f"it ends immediately after its start ({how})")
        if request is None:
            return
        if self.process.unread:
            self._pool.retry(request, f"it ends before it reads anything ({how})")
        else:
            self._request = request
            self._answer("crashed", f"ended without an answer, {how}", errors.tail)

    def _answer(self, kind: AnswerKind, reason: str, body: bytes) -> None:
        request, self._request = self._request, None
        assert request is not None
        request.worker = None
        if not request.answer.done():
            secrets = self._pool.settings.secrets
            answer = Answer(kind, None, secrets.excerpt(body, EXCERPT), secrets.hide(reason), perf_counter() - self._asked)
            request.answer.set_result(answer)

    def _set_startup(self, trouble: str | None) -> None:
        if not self.startup.done():
            self.startup.set_result(trouble)

    def _leave(self, *, ended: bool) -> None:
        self._has_left = True
        self._no_limit()
        self._pool.leave(self, ended=ended)

    # ------------------------------------------------------------------------------------------------ time

    def _limit(self, seconds: float) -> None:
        """Sets the time limit. One timer serves many messages: if the timer expires before the limit, it is set again."""
        self._until = self._loop.time() + seconds
        if self._timer is None:
            self._timer = self._loop.call_at(self._until, self._on_timer)

    def _no_limit(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _on_timer(self) -> None:
        self._timer = None
        if self._request is None and self.ready:
            return
        if self._loop.time() < self._until:
            self._timer = self._loop.call_at(self._until, self._on_timer)
        elif self._request is None:
            self._unusable(f"it is not ready after {READY_LIMIT:g} s")
        else:
            self._answer("timeout", f"{self._pool.settings.missing} within {self._pool.timeout:g} s: killed", self.process.errors.tail)
            self.kill()
