"""Manages processes that keep running and handle one message after another.

The pool starts processes when they are needed, and replaces processes that have ended. A process gets its next message
as soon as brokerfuzz has read the answer to the previous message. For this reason, brokerfuzz assumes that the current
message causes everything that the process then does: output, a crash or a timeout. But if a process certainly has not
read its message, another process gets the message. If a process ends between two messages, the pool replaces the
process without reporting a crash.
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
from brokerfuzz.targets.shell import RUN_IN_SHELL

READY_LIMIT = 60.0
"""The maximum number of seconds until a new process reports that it is ready."""
EXIT_GRACE = 0.5
"""The maximum number of seconds until a process ends after its input is closed. Then brokerfuzz kills the process."""
CLOSED_PIPE_GRACE = 0.25
"""The number of seconds that brokerfuzz waits for the end of a process that has closed a pipe."""
STARTS = 3
"""The maximum number of processes that receive a message, one after another, if none of them reads it. This limit ends
when a process has answered a message, because the program then works.
"""


class Reply(NamedTuple):
    """The output of a process: an answer, or a report that the process is ready or cannot be used.

    If `broken` is true, the process gets no further messages.
    """

    kind: AnswerKind | Literal["ready", "unusable"]
    reason: str
    body: bytes = b""
    broken: bool = False


class Wire(Protocol):
    """Converts messages to bytes for a process, and the output of the process to replies."""

    def encode(self, body: bytes) -> bytes: ...

    def decode(self, data: bytes) -> Reply | None:
        """Receives the next bytes of the output. Returns the reply if it is complete, otherwise None."""
        ...

    @property
    def rest(self) -> bytes:
        """The bytes that follow the last reply."""
        ...


@dataclass(frozen=True, kw_only=True)
class ProcessSettings:
    """Defines how to start a process and how to communicate with it. If `announces_ready` is true, the process reports
    when it is ready.
    """

    name: str
    program: str
    arguments: Sequence[str]
    wire: Callable[[], Wire]
    input_fd: int = 0
    output_fd: int = 1
    environment: Mapping[str, str] | None = None
    announces_ready: bool = False
    secrets: Secrets
    remedy: str = RUN_IN_SHELL
    """The advice at the end of the error if the process cannot be used."""
    timeout_reason: str = "no answer"
    """The beginning of the text that explains a timeout. For example, `no answer` becomes `no answer within 10 s:
    killed`.
    """


class ProcessPool:
    """A limited number of processes that answer messages. Call `open`, then `send`, then `close`."""

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
        """Starts the first process. Raises `TargetError` if the process cannot be started, or if it reports that it
        cannot work.
        """
        try:
            worker = self._start()
        except OSError as problem:
            raise self._unusable(f"the process cannot be started ({problem.strerror})") from problem
        if self.settings.announces_ready:
            trouble = await worker.startup
            if trouble is not None:
                await self.close()
                raise TargetError(f"{self.settings.name} cannot be called: {self.settings.secrets.hide(trouble)}")

    async def close(self) -> None:
        """Lets idle processes end, and kills all other processes."""
        self._closed = True
        for request in self._queue:
            if not request.answer.done():
                request.answer.set_exception(
                    TargetError(
                        f"{self.settings.name} was closed before it received the message: await all answers before "
                        "close()"
                    )
                )
        workers = list(self._workers)
        for worker in workers:
            worker.finish()
        await asyncio.gather(
            *(worker.process.wait_for_end(EXIT_GRACE) for worker in workers),
            *(process.wait_for_end() for process in list(self._ending)),
        )

    async def send(self, body: bytes) -> Answer:
        """Raises `TargetError` if no process reads the message, and no process has answered an earlier message."""
        request = PendingRequest(body, self._loop.create_future())
        self._queue.append(request)
        self.dispatch()
        try:
            return await request.answer
        finally:
            if request.worker is not None:  # the call was cancelled before the answer arrived
                request.worker.kill()

    def dispatch(self) -> None:
        """Gives waiting messages to idle or new processes."""
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
                    self.retry(
                        queue.popleft(),
                        f"the process cannot be started ({problem.strerror})",
                        inf if problem.errno in RESOURCE_ERRORS else 1,
                    )
            else:
                break

    def next(self, worker: "Worker") -> None:
        """Gives the next message to a process that has answered its previous message."""
        self._idle.append(worker)
        if self._queue:
            self.dispatch()

    def retry(self, request: "PendingRequest", how: str, tries: float = STARTS) -> None:
        """Gives a message to another process, because no process has read it yet. `how` describes the last failure.

        The pool stops trying `patience` seconds after the first failure. If no process has answered any message so far,
        the pool also stops after `tries` processes.
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
        return TargetError(
            f"{self.settings.name} cannot be used: {self.settings.secrets.hide(how)}; {self.settings.remedy}"
        )

    def start_failed(self, how: str) -> None:
        """Records that a process could not be started. The failed start counts as an attempt to send the oldest waiting
        message.
        """
        if self._queue:
            self.retry(self._queue.popleft(), how)

    def leave(self, worker: "Worker", *, ended: bool) -> None:
        """Removes a process from the pool, because the process has ended or will be killed."""
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
    """A message that waits for its answer. `worker` is the process that received the message."""

    __slots__ = ("answer", "body", "first_start", "starts", "worker")

    def __init__(self, body: bytes, answer: "asyncio.Future[Answer]") -> None:
        self.body, self.answer = body, answer
        self.worker: Worker | None = None
        self.starts, self.first_start = 0, 0.0


class Worker:
    """A process of the pool. Raises `OSError` if the process cannot be started."""

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
        """Lets the process end if it is idle. Otherwise, kills it."""
        if self._request is None and self.ready:
            self.process.close_input()
        else:
            self.kill()

    def kill(self) -> None:
        self._leave(ended=False)
        self.process.kill()

    # ------------------------------------------------------------------------------------------------ events

    def _on_output(self, data: bytes) -> None:
        if self._has_left:
            return
        if not data:
            self._loop.call_later(CLOSED_PIPE_GRACE, self._on_closed_pipe)
        elif self._request is None and self.ready:
            self._unrequested = (
                (self._unrequested or b"") + data[:EXCERPT]
                if len(self._unrequested or b"") < EXCERPT
                else self._unrequested
            )
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
            self._no_limit()  # removes the time limit READY_LIMIT
            self._set_startup(None)
            self._pool.next(self)
        elif self._request is not None:
            self._crashed("answered without a message", reply.body)
        elif reply.kind == "unusable":
            self._unusable(reply.reason, has_remedy=True)
        else:
            self._unusable("the process writes output before it receives a message")

    def _unusable(self, how: str, *, has_remedy: bool = False) -> None:
        waited = self.startup.done()
        self._set_startup(how if has_remedy else f"{how}; {self._pool.settings.remedy}")
        self.kill()
        if not waited:
            self._pool.start_failed(how)

    def _crashed(self, what: str, data: bytes) -> None:
        self._answer("crashed", f'{what}: "{in_one_line(data)}"', data[:EXCERPT])
        self.kill()

    def _on_closed_pipe(self) -> None:
        """Kills a process that has closed a pipe but still runs."""
        if self._has_left or self.process.code is not None:
            return
        if self._request is not None and self.process.unread:
            request, self._request = self._request, None
            self.kill()
            self._pool.retry(request, "the process closes its input but keeps running")
        elif self._request is not None:
            if self.process.output_closed:
                self._answer("crashed", "closed its output without an answer", b"")
                self.kill()
        elif not self.ready:
            self._unusable("the process closes its output without an answer")
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
            self._set_startup(f"{how}; {self._pool.settings.remedy}")
            if not waited:
                self._pool.start_failed(f"the process ends immediately after its start ({how})")
        if request is None:
            return
        if self.process.unread:
            self._pool.retry(request, f"the process ends before it reads anything ({how})")
        else:
            self._request = request
            self._answer("crashed", f"ended without an answer, {how}", errors.tail)

    def _answer(self, kind: AnswerKind, reason: str, body: bytes) -> None:
        request, self._request = self._request, None
        assert request is not None
        request.worker = None
        if not request.answer.done():
            secrets = self._pool.settings.secrets
            answer = Answer(
                kind, None, secrets.excerpt(body, EXCERPT), secrets.hide(reason), perf_counter() - self._asked
            )
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
        """Sets the time limit of the current message. For speed, the timer of the previous message is not replaced.
        When this timer expires, `_on_timer` creates a timer for the rest of the time.
        """
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
            self._unusable(f"the process is not ready after {READY_LIMIT:g} s")
        else:
            self._answer(
                "timeout",
                f"{self._pool.settings.timeout_reason} within {self._pool.timeout:g} s: killed",
                self.process.errors.tail,
            )
            self.kill()
