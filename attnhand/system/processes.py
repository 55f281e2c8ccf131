"""Long work in pieces: in this process, in several, or on a Dask cluster.

Weighed: joblib, whose back ends are processes and Dask. Its workers live on for minutes when this program is killed,
one that dies ends the whole work, each loads everything by itself (a second of processor time more in every run), and
a cluster would still have to be found, checked and explained.
"""

import contextlib
import gc
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future
from concurrent.futures.process import ProcessPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from itertools import islice
from multiprocessing import get_all_start_methods, get_context, parent_process
from types import ModuleType
from typing import Any, Self, TypeVar

from attnhand.errors import AttnhandError, WorkerError, name_option
from attnhand.system.cluster import DaskWorkers
from attnhand.system.limits import limit_memory

T = TypeVar("T")
R = TypeVar("R")

Advance = Callable[[int], None]
"""Says that so many steps more are done."""

ShowProgress = Callable[[int, str], AbstractContextManager[Advance]]
"""Of a number of steps and what is done in them: what shows meanwhile how far they have come."""

JOBS_PER_WORKER = 4
"""Jobs handed out for each worker: while one takes long the others have work, and memory does not grow."""

MIN_JOBS_FOR_PROCESSES = 20
"""Short jobs that one process does before others are ready to."""


@contextlib.contextmanager
def hide_progress(_total: int, _label: str) -> Iterator[Advance]:
    """Show nothing."""
    yield lambda _: None


@contextlib.contextmanager
def pause_garbage_collection() -> Iterator[None]:
    """Collect no garbage meanwhile: where most objects live to the end, looking for it takes a sixth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def run_jobs(work: Callable[[T], R], jobs: Iterable[T], workers: "Workers | None" = None) -> Iterator[R]:
    """Yield the result of every job, in the order of the jobs.

    >>> list(run_jobs(abs, [-3, 4]))
    [3, 4]

    Args:
        workers: None to work in this process.

    Raises:
        WorkerError: a job ends its workers again and again, or a cluster is lost.
    """
    if workers is None:
        yield from map(work, jobs)
        return
    left = iter(jobs)
    handed_out: deque[Callable[[], R]] = deque()
    while True:
        room = JOBS_PER_WORKER * max(1, workers.count) - len(handed_out)  # those of a cluster come and go
        handed_out += (workers.submit(work, job) for job in islice(left, max(0, room)))
        if not handed_out:
            return
        take_result = handed_out.popleft()
        yield take_result()


def run_in_order(
    work: Callable[[T], R],
    jobs: Sequence[T],
    processes: int | None = None,
    *,
    prepare: Callable[[T], T] = lambda job: job,
    advance: Advance = lambda _: None,
    modules: Sequence[str] = (),
    give_up: Callable[[T], R] | None = None,
) -> Iterator[R]:
    """Do short work on every job, in processes where that is worth while; yield the results in the order of the jobs.

    Args:
        processes: how many at once; None for one a processor.
        prepare: what is done with a job here, just before it is handed out.
        advance: hears of every job that is done.
        modules: those that the work needs.
        give_up: as for ``ProcessWorkers``. With it no job is worked in this process, however few there are.
    """
    count = min(processes or count_processors(), len(jobs)) if len(jobs) >= MIN_JOBS_FOR_PROCESSES else 1
    is_here = count <= 1 and give_up is None
    with nullcontext() if is_here else ProcessWorkers(count, modules, give_up=give_up) as workers:
        for result in run_jobs(work, map(prepare, jobs), workers):
            advance(1)
            yield result


def refuse_impossible_process_count(processes: int | None) -> None:
    """Refuse less than one process.

    Raises:
        AttnhandError: it is less.
    """
    if processes is not None and processes < 1:
        remedy = "use 1 or more, or leave it out for all processors"
        raise AttnhandError(f"{name_option('jobs', processes)} is out of range: {remedy}")


def count_processors() -> int:
    """Return how many processors this process may use, which can be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def make_workers(
    process_count: int, scheduler: str = "", modules: Sequence[str] = ()
) -> "AbstractContextManager[Workers | None]":
    """Return a Dask cluster where a scheduler is named, else so many processes here; None where this one is enough."""
    if scheduler:
        return DaskWorkers(scheduler)
    return nullcontext() if process_count <= 1 else ProcessWorkers(process_count, modules)


class ProcessWorkers:
    """Processes on this machine; when one dies, which ends them all, others take their place.

    Args:
        modules: those that the work needs.
        give_up: what comes of a job that has ended two workers; None for an error. With it a worker finds no more
            memory than ``MAX_WORKER_MEMORY``.
    """

    def __init__(self, count: int, modules: Sequence[str] = (), *, give_up: Callable[[Any], Any] | None = None) -> None:
        self.count, self._give_up = count, give_up
        prepare_processes(modules)
        # Subtle: a fork of this process would copy locks that another thread holds, of a progress bar for one
        context = get_context("forkserver" if "forkserver" in get_all_start_methods() else None)
        initialize = partial(_initialize_worker, is_bounded=give_up is not None)
        self._start_pool = partial(ProcessPoolExecutor, mp_context=context, initializer=initialize)
        self._pool = self._start_pool(count)

    def submit(self, work: Callable[[T], R], job: T) -> Callable[[], R]:
        """Hand out a job; return what waits for its result."""
        try:
            future = _submit_to_pool(self._pool, work, job)
        except BrokenExecutor:
            self._pool = self._start_pool(self.count)
            future = _submit_to_pool(self._pool, work, job)
        return partial(self._take_result, future, work, job)

    def _take_result(self, future: Future[R], work: Callable[[T], R], job: T) -> R:
        """Wait for the result of a job; where it was lost with the workers, work it again alone."""
        try:
            return future.result()
        except BrokenExecutor:  # a worker has died, and nobody knows of which job
            return self._work_alone(work, job)

    def _work_alone(self, work: Callable[[T], R], job: T) -> R:
        """Work a job in a process of its own; give it up where that dies as well.

        Raises:
            WorkerError: it dies, and nothing was said of giving up.
        """
        alone = self._start_pool(1)
        try:
            return _submit_to_pool(alone, work, job).result()
        except BrokenExecutor as error:
            if self._give_up is None:
                fault = "a worker was ended twice in the middle of the same work, perhaps for want of memory"
                raise WorkerError(f"{fault}: give fewer {name_option('jobs')}") from error
            result: R = self._give_up(job)
            return result
        finally:
            _end_pool(alone)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        _end_pool(self._pool)


Workers = ProcessWorkers | DaskWorkers
"""Other processes, here or elsewhere, that jobs are handed to."""


def _submit_to_pool(pool: ProcessPoolExecutor, work: Callable[[T], R], job: T) -> Future[R]:
    """Hand a job to a pool, which starts a process for it where it has not all yet."""
    main = sys.modules["__main__"]
    with delay_interrupt():
        # Subtle: a new process runs the main module once more. It needs nothing of it, and a user's script that is not
        # guarded by ``if __name__ == "__main__"`` would begin again in every worker
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            return pool.submit(work, job)
        finally:
            sys.modules["__main__"] = main


def _end_pool(pool: ProcessPoolExecutor) -> None:
    """End the processes of a pool: what they are at is finished first, what they are not at is not begun.

    Subtle: they cannot be killed instead. Of a result that is half sent the pool would wait for the rest for ever.
    """
    with delay_interrupt():
        pool.shutdown(cancel_futures=True)


def prepare_processes(modules: Sequence[str]) -> None:
    """Begin to load the modules that workers need, while this process loads its own."""
    if "forkserver" in get_all_start_methods():
        from multiprocessing import forkserver, resource_tracker

        resource_tracker.ensure_running()  # Subtle: first, for when it starts it lets Ctrl-C through again
        forkserver.set_forkserver_preload(list(modules))
        with delay_interrupt():
            forkserver.ensure_running()


@contextlib.contextmanager
def delay_interrupt() -> Iterator[None]:
    """Let Ctrl-C wait meanwhile; processes that are started do not hear of it at all.

    In the middle of a pool's bookkeeping it would leave a worker that nobody knows, or work that nobody does: the
    program would wait for ever. It would also end a process that has only begun to start.
    """
    delayed: list[int] = []
    is_main = threading.current_thread() is threading.main_thread()
    # Subtle: both are needed. The mask is what processes inherit; but another thread, for which it does not hold, may
    # take the signal, and Python would interrupt this one all the same
    handler = signal.signal(signal.SIGINT, lambda number, _: delayed.append(number)) if is_main else None
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if hasattr(signal, "pthread_sigmask") else None
    try:
        yield
    finally:
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if is_main:
            signal.signal(signal.SIGINT, handler)
        if delayed:
            signal.raise_signal(signal.SIGINT)


def _initialize_worker(*, is_bounded: bool) -> None:
    """Leave Ctrl-C to the process that handed out the work, and end with it, however it ends."""

    def exit_with_parent() -> None:
        if parent := parent_process():
            parent.join()
            os._exit(1)

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where it is not inherited
    gc.freeze()  # what is loaded stays: looking through it for garbage would give every worker a copy of its own
    threading.Thread(target=exit_with_parent, daemon=True).start()
    if is_bounded:
        limit_memory()
