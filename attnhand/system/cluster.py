"""The workers of a Dask cluster."""

import asyncio
from collections.abc import Callable
from concurrent.futures import CancelledError
from functools import partial
from importlib.metadata import version
from typing import Any, Self, TypeVar

from attnhand.errors import WorkerError, name_option

T = TypeVar("T")
R = TypeVar("R")

SCHEDULER_TIMEOUT = 5
"""Seconds until a scheduler that does not answer is given up."""


class DaskWorkers:
    """The workers of a cluster; what one had in hand when it dies is given to another by the scheduler.

    Raises:
        WorkerError: Dask is not installed, nothing answers at the address, or its workers cannot do the work.
    """

    def __init__(self, address: str) -> None:
        try:
            from distributed import Client
            from distributed.comm import connect
        except ImportError:
            option = name_option("scheduler")
            raise WorkerError(f"{option} needs Dask, which is not installed: pip install 'attnhand[cluster]'") from None

        async def greet() -> None:
            await (await connect(address, timeout=SCHEDULER_TIMEOUT)).close()

        try:
            asyncio.run(greet())  # first of all: a client that finds nobody keeps on trying when it is thrown away
        except Exception as error:  # whatever it is: an unknown host, no address, a server of another kind
            remedy = "start one with `dask scheduler`, and give the address that it prints, such as tcp://10.0.0.5:8786"
            raise WorkerError(f"no scheduler answers at {address}: {remedy}") from error
        self._client: Any = Client(address, timeout=SCHEDULER_TIMEOUT, set_as_default=False)
        try:
            self._check_workers(address)
        except BaseException:
            self._client.close()
            raise

    def _check_workers(self, address: str) -> None:
        """See that there is a worker, and that each has this version of the program: others make other pages."""
        if not self.count:
            raise WorkerError(f"the scheduler {address} has no workers: start some with `dask worker {address}`")
        own_version = version("attnhand")
        for worker, worker_version in self._client.run(version, "attnhand", on_error="return").items():
            if worker_version != own_version:
                fault = "lacks attnhand" if isinstance(worker_version, Exception) else f"has attnhand {worker_version}"
                raise WorkerError(f"the worker {worker} {fault}: install attnhand {own_version} there")

    @property
    def count(self) -> int:
        """How many jobs they work at a time."""
        return sum(self._client.nthreads().values())

    def submit(self, work: Callable[[T], R], job: T) -> Callable[[], R]:
        """Hand out a job; return what waits for its result."""
        return partial(_take_result, self._client.submit(work, job, pure=False))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the cluster, which goes on without us."""
        self._client.close()


def _take_result(future: Any) -> Any:
    from distributed import KilledWorker

    try:
        return future.result()
    except CancelledError:
        remedy = "see that it runs, and run the same command again"
        raise WorkerError(f"the connection to the scheduler was lost: {remedy}") from None
    except KilledWorker as error:
        fault = "workers of the cluster were ended one after the other by the same work, perhaps for want of memory"
        raise WorkerError(f"{fault}: give them more") from error
