"""Runs tasks in worker processes on this machine or on a Dask cluster. The results do not depend on the number of
workers.
"""

from brokerfuzz.workers.clusters import cluster
from brokerfuzz.workers.ordered_results import WorkerPool, in_order
from brokerfuzz.workers.processes import Processes

__all__ = ["Processes", "WorkerPool", "cluster", "in_order"]
