"""Who does work in parts: processes of this machine, or a Dask cluster. What comes of it does not depend on who did it, nor on how many there are."""

from brokerfuzz.workers.clusters import cluster
from brokerfuzz.workers.ordered_results import in_order
from brokerfuzz.workers.pool import WorkerPool
from brokerfuzz.workers.processes import Processes

__all__ = ["Processes", "WorkerPool", "cluster", "in_order"]
