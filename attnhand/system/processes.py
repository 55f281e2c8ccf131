"""Long work in pieces, on any ``concurrent.futures`` executor: this process, all processors, or a Dask cluster.

Weighed: joblib, whose back ends are processes and Dask. Its workers live on for minutes when this program is killed,
one that dies ends the whole work, each loads everything by itself (a second of processor time more in every run), and
a cluster would still have to be found, checked and explained; so it would save some 15 of these lines.
"""

import asyncio
import contextlib
import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from concurrent.futures.process import ProcessPoolExecutor
from contextlib import AbstractContextManager
from functools import partial
from importlib.metadata import version
from multiprocessing import get_all_start_methods, get_context, parent_process
from types import ModuleType, TracebackType
from typing import Any, ParamSpec, TypeVar

from attnhand.errors import AttnhandError, WorkerError, name_option
from attnhand.system.limits import limit_memory


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


T = TypeVar("T")
R = TypeVar("R")
P = ParamSpec("P")

Advance = Callable[[int], None]
"""Says that so many steps more are done."""

ShowProgress = Callable[[int, str], AbstractContextManager[Advance]]
"""Of a number of steps and what is done in them: what shows meanwhile how far they have come."""


@contextlib.contextmanager
def hide_progress(_total: int, _label: str) -> Iterator[Advance]:
    """Show nothing."""
    yield lambda _: None


JOBS_PER_WORKER = 2
"""Jobs handed out for each worker: the next is there when one is done, and memory does not grow."""

MIN_JOBS_FOR_PROCESSES = 20
"""Short jobs that one process does before others are ready to."""

SCHEDULER_TIMEOUT = 5
"""Seconds until a scheduler that does not answer is given up."""


def run_jobs(
    work: Callable[[T], R], jobs: Iterable[T], executor: Executor, *, give_up: Callable[[T], R] | None = None
) -> Iterator[tuple[int, R]]:
    """Yield each job's place and result, as they finish; what a worker died of is worked once more, alone.

    >>> sorted(run_jobs(abs, [-3, 4], InlineExecutor()))
    [(0, 3), (1, 4)]

    Args:
        give_up: what comes of a job whose worker died again when it was at nothing else; None for an error.

    Raises:
        WorkerError: a worker died twice of the same job, or the connection to a scheduler was lost.
    """
    waiting = enumerate(jobs)
    running: dict[Future[R], tuple[int, T]] = {}
    suspects: list[tuple[int, T]] = []
    """What workers were at when one died: it ends a whole pool, and nobody knows which job it was."""

    while True:
        workers = max(1, getattr(executor, "workers", 0) or count_processors())  # those of a cluster come and go
        while not suspects and len(running) < JOBS_PER_WORKER * workers:
            if (following := next(waiting, None)) is None:
                break
            running[executor.submit(work, following[1])] = following
        if not (running or suspects):
            return
        finished = wait(running, return_when=FIRST_COMPLETED).done if running else ()
        for done in sorted(finished, key=lambda each: running[each][0]):
            at, job = running.pop(done)
            try:
                result = _take_result(done)
            except BrokenExecutor:
                suspects.append((at, job))
            else:
                yield at, result
        while suspects and not running:
            at, job = suspects.pop(0)
            try:
                result = _take_result(executor.submit(work, job))
            except BrokenExecutor as error:
                if give_up is None:
                    raise WorkerError(_explain_worker_deaths(executor)) from error
                result = give_up(job)
            yield at, result


def _take_result(done: Future[R]) -> R:
    try:
        return done.result()
    except CancelledError:
        remedy = "see that it runs, and run the same command again"
        raise WorkerError(f"the connection to the scheduler was lost: {remedy}") from None
    except Exception as error:
        if type(error).__name__ == "KilledWorker":  # Dask's own, from a library that few have
            raise BrokenExecutor from error
        raise


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
    """Do short work on every job, and yield the results in the order of the jobs.

    >>> list(run_in_order(abs, [-3, 4]))
    [3, 4]

    Args:
        processes: how many at once; None for one a processor.
        prepare: what is done with a job here, just before it is handed out.
        advance: hears of every job that is done.
        modules: those that the work needs.
        give_up: what comes of a job that ends the process it is worked in. With it no job is worked in this process,
            however few there are, and a worker finds no more memory than ``MAX_WORKER_MEMORY``.
    """
    are_many = len(jobs) >= MIN_JOBS_FOR_PROCESSES
    process_count = min(processes or count_processors(), len(jobs)) if are_many or give_up else 1
    early: dict[int, R] = {}
    following = 0
    prepared = (prepare(job) for job in jobs)
    executor: InlineExecutor | RestartingProcessPool = InlineExecutor()
    if process_count > 1 or give_up:
        executor = RestartingProcessPool(max(1, process_count), modules, is_bounded=give_up is not None)
    with executor:
        for number, result in run_jobs(work, prepared, executor, give_up=give_up):
            early[number] = result
            advance(1)
            while following in early:
                yield early.pop(following)
                following += 1


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


def _explain_worker_deaths(executor: Executor) -> str:
    fewer_jobs, more_memory = f"give fewer {name_option('jobs')}", "give the workers of the cluster more"
    remedy = more_memory if isinstance(executor, DaskExecutor) else fewer_jobs
    return f"a worker was ended twice in the middle of the same work, perhaps for want of memory: {remedy}"


class InlineExecutor(Executor):
    """An executor that works a job when it is handed out."""

    workers = 1

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Return what is done already; Ctrl-C comes through."""
        future: Future[R] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


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


def prepare_processes(modules: Sequence[str]) -> None:
    """Begin to load the modules that workers need, while this process loads its own."""
    if "forkserver" in get_all_start_methods():
        from multiprocessing import forkserver, resource_tracker

        resource_tracker.ensure_running()  # Subtle: first, for when it starts it lets Ctrl-C through again
        forkserver.set_forkserver_preload(list(modules))
        with delay_interrupt():
            forkserver.ensure_running()


class _CancellingExecutor(Executor):
    """An executor that begins no more work when an error, or Ctrl-C, ends what it is for."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.shutdown(cancel_futures=kind is not None)


@contextlib.contextmanager
def _hide_main_module() -> Iterator[None]:
    """Keep processes that start meanwhile from running the user's own program once more: they need nothing of it.

    Without this, a script that is not guarded by ``if __name__ == "__main__"`` would begin again in every worker.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


class RestartingProcessPool(_CancellingExecutor):
    """Worker processes on this machine; when one dies, which ends them all, others take their place.

    Args:
        is_bounded: whether a worker finds no more memory than ``MAX_WORKER_MEMORY``.
    """

    def __init__(self, workers: int, modules: Sequence[str] = (), *, is_bounded: bool = False) -> None:
        self.workers, self.modules, self.is_bounded = workers, modules, is_bounded
        self._pool = self._start_pool()

    def _start_pool(self) -> ProcessPoolExecutor:
        prepare_processes(self.modules)
        # Subtle: a fork of this process would copy locks that another thread holds, of a progress bar for one
        context = get_context("forkserver" if "forkserver" in get_all_start_methods() else None)
        initialize = partial(_initialize_worker, is_bounded=self.is_bounded)
        return ProcessPoolExecutor(self.workers, mp_context=context, initializer=initialize)

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        with delay_interrupt(), _hide_main_module():
            try:
                return self._pool.submit(fn, *args, **kwargs)
            except BrokenExecutor:
                self._pool.shutdown(wait=False)
                self._pool = self._start_pool()
                return self._pool.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the workers; what they are at is finished first.

        Subtle: they cannot be killed instead. Of a result that is half sent the pool would wait for the rest for ever.
        """
        with delay_interrupt():
            self._pool.shutdown(wait, cancel_futures=cancel_futures)


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


class DaskExecutor(_CancellingExecutor):
    """The workers of a Dask cluster; a job whose worker dies is given to another by its scheduler.

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
        if not self.workers:
            raise WorkerError(f"the scheduler {address} has no workers: start some with `dask worker {address}`")
        own_version = version("attnhand")
        for worker, worker_version in self._client.run(version, "attnhand", on_error="return").items():
            if worker_version != own_version:
                fault = "lacks attnhand" if isinstance(worker_version, Exception) else f"has attnhand {worker_version}"
                raise WorkerError(f"the worker {worker} {fault}: install attnhand {own_version} there")

    @property
    def workers(self) -> int:
        """How many jobs the cluster works at a time."""
        return sum(self._client.nthreads().values())

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Hand a job to the cluster.

        Subtle: Dask's own executor looks at a future's state after its result, takes what it got of a worker that was
        killed meanwhile for an error, and cannot unpack it.
        """
        future: Future[R] = Future()
        remote = self._client.submit(fn, *args, **kwargs, pure=False)
        remote.add_done_callback(partial(_pass_on, future))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster, which goes on without us."""
        self._client.close()


def _pass_on(future: Future[Any], remote: Any) -> None:
    """Give a future what came of the job on the cluster."""
    try:
        future.set_result(remote.result())
    except Exception as error:
        future.set_exception(error)


def make_executor(
    process_count: int, scheduler: str = "", modules: Sequence[str] = ()
) -> InlineExecutor | RestartingProcessPool | DaskExecutor:
    """Return where to work: on a Dask cluster where a scheduler is named, else in so many processes here."""
    if scheduler:
        return DaskExecutor(scheduler)
    return InlineExecutor() if process_count <= 1 else RestartingProcessPool(process_count, modules)
