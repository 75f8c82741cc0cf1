"""Processes that live on from message to message: started when there is need for one, and anew when one has ended.

Each has one message at a time, and gets the next in the same breath in which its answer is read. What a process does outside of that is held
against the message that it is at, with two exceptions: a message that certainly was not read by a process that ended goes to
another process, and a process that ends between messages is replaced without a word.
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
from brokerfuzz.targets.process_limits import LACKING
from brokerfuzz.targets.processes import Process, cores
from brokerfuzz.targets.secret_masking import Secrets

STARTING = 60.0
"""Seconds for a process that says when it is ready, until it does."""
PARTING = 0.5
"""Seconds for a process to end by itself when its input ends, until it is killed."""
DANGLING = 0.25
"""Seconds between the end of its output and its own, after which it counts as one that lives on without."""
STARTS = 3
"""How many processes in a row may end without having read their message, where none has ever answered."""


class Reply(NamedTuple):
    """What came from a process: an answer, that it is ready, or that it can never be. `broken`: it cannot be asked again."""

    kind: AnswerKind | Literal["ready", "unusable"]
    reason: str
    body: bytes = b""
    broken: bool = False


class Wire(Protocol):
    """How messages and answers go through the pipes of one process."""

    def question(self, body: bytes) -> bytes:
        """The bytes that bring the message."""
        ...

    def take(self, data: bytes) -> Reply | None:
        """The reply that the bytes end; None where more has to come. In memory that is bounded."""
        ...

    @property
    def left(self) -> bytes:
        """What came behind the last reply, as far as it is known."""
        ...


@dataclass(frozen=True, kw_only=True)
class Programme:
    """What is started, and how it is spoken with. `greets` says that a process tells when it is ready."""

    name: str
    program: str
    words: Sequence[str]
    wire: Callable[[], Wire]
    inlet: int = 0
    outlet: int = 1
    environment: Mapping[str, str] | None = None
    greets: bool = False
    secrets: Secrets
    late: str = "no answer"
    """What is missing where the time is up."""


class ProcessPool:
    """At most so many processes. `open` it, `ask` it, `close` it."""

    def __init__(self, programme: Programme, *, timeout: float, processes: int | None, patience: float) -> None:
        self.programme, self.timeout, self.patience = programme, timeout, patience
        self.answered = False
        self._size = processes or cores()
        self._loop = asyncio.get_running_loop()
        self._queue: deque[PendingRequest] = deque()
        self._idle: list[Worker] = []
        self._workers: set[Worker] = set()
        self._ending: set[Process] = set()
        self._closed = False

    async def open(self) -> None:
        """Starts the first process. Raises `TargetError` where that cannot be done, and where it says that it cannot be used."""
        try:
            worker = self._start()
        except OSError as problem:
            raise self._unusable(f"it cannot be started ({problem.strerror})") from problem
        if self.programme.greets:
            trouble = await worker.greeting
            if trouble is not None:
                await self.close()
                raise TargetError(f"{self.programme.name} cannot be called: {trouble}")

    async def close(self) -> None:
        """Lets idle processes end, and kills the others."""
        self._closed = True
        for request in self._queue:
            if not request.answer.done():
                request.answer.set_exception(TargetError(f"{self.programme.name} was closed before it was asked"))
        workers = list(self._workers)
        for worker in workers:
            worker.part()
        await asyncio.gather(*(worker.process.bury(PARTING) for worker in workers), *(process.bury() for process in list(self._ending)))

    async def ask(self, body: bytes) -> Answer:
        """The answer to a message. Raises `TargetError` where none was ever given, and processes end before they read anything."""
        request = PendingRequest(body, self._loop.create_future())
        self._queue.append(request)
        self.dispatch()
        try:
            return await request.answer
        finally:
            if request.worker is not None:  # given up
                request.worker.kill()

    def dispatch(self) -> None:
        """Gives those who wait to those who are idle, or to new ones."""
        queue = self._queue
        while queue and not self._closed:
            if queue[0].answer.done():
                queue.popleft()
            elif self._idle:
                self._idle.pop().ask(queue.popleft())
            elif len(self._workers) < self._size and sum(not worker.ready for worker in self._workers) < len(queue):
                try:
                    self._start()
                except OSError as problem:
                    self.again(queue.popleft(), f"it cannot be started ({problem.strerror})", inf if problem.errno in LACKING else 1)
            else:
                break

    def next(self, worker: "Worker") -> None:
        """Gives an idle process something to do."""
        self._idle.append(worker)
        if self._queue:
            self.dispatch()

    def again(self, request: "PendingRequest", how: str, tries: float = STARTS) -> None:
        """Lets a message that no process has read wait for another one: for so many tries where none ever answered, else with patience."""
        request.worker = None
        if request.answer.done():
            return
        now = self._loop.time()
        request.starts += 1
        request.first_start = request.first_start or now
        if now - request.first_start <= self.patience and (self.answered or request.starts < tries):
            self._loop.call_later(0.0 if request.starts == 1 else 0.025 * 2**request.starts, self._requeue, request)
        elif self.answered:
            request.answer.set_result(Answer("crashed", reason=self.programme.secrets.hide(how), reached=False))
        else:
            request.answer.set_exception(self._unusable(how))

    def _unusable(self, how: str) -> TargetError:
        return TargetError(f"{self.programme.name} cannot be asked: {self.programme.secrets.hide(how)}; try it in a shell")

    def start_failed(self, how: str) -> None:
        """Counts a process that was never ready as a try of who waits the longest."""
        if self._queue:
            self.again(self._queue.popleft(), how)

    def leave(self, worker: "Worker", *, ended: bool) -> None:
        """Takes a process out of the pool, when it is about to be killed or has ended."""
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
    """A message that waits for its answer. `worker` is who has it."""

    __slots__ = ("answer", "body", "first_start", "starts", "worker")

    def __init__(self, body: bytes, answer: "asyncio.Future[Answer]") -> None:
        self.body, self.answer = body, answer
        self.worker: Worker | None = None
        self.starts, self.first_start = 0, 0.0


class Worker:
    """One process, from its start to its end. Raises `OSError` where it cannot be started."""

    def __init__(self, pool: ProcessPool) -> None:
        programme = pool.programme
        self._pool = pool
        self._loop = asyncio.get_running_loop()
        self._wire = programme.wire()
        self._request: PendingRequest | None = None
        self._asked = self._until = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._spoke_up: bytes | None = None
        self._left = False
        self.ready = not programme.greets
        self.greeting: asyncio.Future[str | None] = self._loop.create_future()
        self.process = Process(
            programme.program,
            programme.words,
            heard=self._heard,
            ended=self._ended,
            inlet=programme.inlet,
            outlet=programme.outlet,
            environment=programme.environment,
        )
        if not self.ready:
            self._limit(STARTING)

    def ask(self, request: PendingRequest) -> None:
        """Sends the message."""
        self._request = request
        request.worker = self
        self._asked = perf_counter()
        if self._spoke_up is not None:
            self._crashed_by("answered before it was asked", self._spoke_up)
            return
        self._limit(self._pool.timeout)
        self.process.write(self._wire.question(request.body))
        if self.process.deaf:
            self._loop.call_later(DANGLING, self._dangles)

    def part(self) -> None:
        """Has the process end when it is idle, and kills it when it is not."""
        if self._request is None and self.ready:
            self.process.no_more()
        else:
            self.kill()

    def kill(self) -> None:
        """Kills the process, which is part of the pool no more."""
        self._quit(ended=False)
        self.process.kill()

    # ------------------------------------------------------------------------------------------------ what happens to it

    def _heard(self, data: bytes) -> None:
        if self._left:
            return
        if not data:
            self._loop.call_later(DANGLING, self._dangles)
        elif self._request is None and self.ready:
            self._spoke_up = (self._spoke_up or b"") + data[:EXCERPT] if len(self._spoke_up or b"") < EXCERPT else self._spoke_up
        else:
            reply = self._wire.take(data)
            if reply is not None:
                self._replied(reply)

    def _replied(self, reply: Reply) -> None:
        kind, reason, body, broken = reply
        if kind == "ready" or kind == "unusable" or self._request is None:  # noqa: PLR1714  (a type checker follows this)
            self._greeted(reply)
        elif self._wire.left:
            self._crashed_by("answered before it was asked", self._wire.left)
        else:
            self._pool.answered = self._pool.answered or not broken
            self._answer(kind, reason, body)
            if broken:
                self.kill()
            else:
                self._pool.next(self)

    def _greeted(self, reply: Reply) -> None:
        if reply.kind == "ready" and not self.ready and not self._wire.left:
            self.ready = True
            self._no_limit()  # that of starting is the longer
            self._greet(None)
            self._pool.next(self)
        elif self._request is not None:
            self._crashed_by("answered what nobody asked", reply.body)
        else:
            self._unusable(reply.reason if reply.kind == "unusable" else "it answers before it is asked")

    def _unusable(self, how: str) -> None:
        waited = self.greeting.done()
        self._greet(how)
        self.kill()
        if not waited:
            self._pool.start_failed(how)

    def _crashed_by(self, what: str, data: bytes) -> None:
        self._answer("crashed", f'{what}: "{in_one_line(data)}"', data[:EXCERPT])
        self.kill()

    def _dangles(self) -> None:
        """Ends a process that has closed a pipe and lives on."""
        if self._left or self.process.code is not None:
            return
        if self._request is not None and self.process.untouched:
            request, self._request = self._request, None
            self.kill()
            self._pool.again(request, "it closes its input and lives on")
        elif self._request is not None:
            if self.process.mute:
                self._answer("crashed", "closed its output without an answer", b"")
                self.kill()
        elif not self.ready:
            self._unusable("it closes its output without a word")
        else:
            self.kill()

    def _ended(self, code: int) -> None:
        request, self._request = self._request, None
        left = self._left
        self._quit(ended=True)
        errors = self.process.errors
        how = how_it_ended(code) + (f": {words}" if (words := errors.last_line) else "")
        if not left and not self.ready:
            waited = self.greeting.done()
            self._greet(how)
            if not waited:
                self._pool.start_failed(f"it ends as it is started ({how})")
        if request is None:
            return
        if self.process.untouched:
            self._pool.again(request, f"it ends before it has read anything ({how})")
        else:
            self._request = request
            self._answer("crashed", f"ended without an answer, {how}", errors.tail)

    def _answer(self, kind: AnswerKind, reason: str, body: bytes) -> None:
        request, self._request = self._request, None
        assert request is not None
        request.worker = None
        if not request.answer.done():
            secrets = self._pool.programme.secrets
            answer = Answer(kind, None, secrets.excerpt(body, EXCERPT), secrets.hide(reason), perf_counter() - self._asked)
            request.answer.set_result(answer)

    def _greet(self, trouble: str | None) -> None:
        if not self.greeting.done():
            self.greeting.set_result(trouble)

    def _quit(self, *, ended: bool) -> None:
        self._left = True
        self._no_limit()
        self._pool.leave(self, ended=ended)

    # ------------------------------------------------------------------------------------------------ time

    def _limit(self, seconds: float) -> None:
        """Sets the time limit. One timer serves many messages: it looks again where it rings too early."""
        self._until = self._loop.time() + seconds
        if self._timer is None:
            self._timer = self._loop.call_at(self._until, self._rings)

    def _no_limit(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _rings(self) -> None:
        self._timer = None
        if self._request is None and self.ready:
            return
        if self._loop.time() < self._until:
            self._timer = self._loop.call_at(self._until, self._rings)
        elif self._request is None:
            self._unusable(f"it is not ready after {STARTING:g} s")
        else:
            never = "" if self._pool.answered else ", nor ever before"
            self._answer("timeout", f"{self._pool.programme.late} within {self._pool.timeout:g} s{never}: killed", self.process.errors.tail)
            self.kill()
