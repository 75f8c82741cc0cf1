import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Effort:
    """The size of the benchmarks. `discovery` uses `runs` seeds. `variety` uses `seeds` seeds. A long run has `examples` examples."""

    runs: int = 30
    seeds: int = 10
    examples: int = 400
    processes: int = os.cpu_count() or 1
    only_ours: bool = False

    def results(self, work: Callable[..., T], tasks: Iterable[tuple[object, ...]]) -> list[T]:
        """Calls `work` with the arguments of each task, in several processes. Returns the results in the order of the tasks."""
        if self.processes == 1:
            return [work(*task) for task in tasks]
        with ProcessPoolExecutor(self.processes) as pool:
            return list(pool.map(work, *zip(*tasks, strict=True)))
