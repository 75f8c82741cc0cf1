"""The size of the measurements of examples, and the processes that share their work."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Effort:
    """The size of the measurements.

    `runs` is the number of seeds of `discovery`, and `seeds` is the number of seeds of the other measurements. `examples` is the
    number of examples in a long run. `processes` is the number of processes that share the work. With `only_ours`, only
    brokerfuzz is measured.
    """

    runs: int = 30
    seeds: int = 10
    examples: int = 400
    processes: int = os.cpu_count() or 1
    only_ours: bool = False

    def results(self, work: Callable[..., T], tasks: Iterable[tuple[object, ...]]) -> list[T]:
        """Calls `work` with the arguments of each task. Returns the results in the order of the tasks."""
        if self.processes == 1:
            return [work(*task) for task in tasks]
        with ProcessPoolExecutor(self.processes) as pool:
            return list(pool.map(work, *zip(*tasks, strict=True)))
