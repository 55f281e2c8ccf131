"""Long work in pieces: on this process, several, and a real Dask cluster of two workers, one of which is killed."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from attnhand.errors import WorkerError
from attnhand.system.processes import (
    JOBS_PER_WORKER,
    DaskExecutor,
    InlineExecutor,
    RestartingProcessPool,
    make_executor,
    run_jobs,
)
from tests.classroom.jobs import die_at_three, die_once_at_three, raise_at_three, square_slowly

ROOT = Path(__file__).parents[2]
WITH_TESTS = os.environ | {"PYTHONPATH": str(ROOT)}


def becomes_true(holds: Callable[[], bool]) -> bool:
    """Say whether something comes true within ten seconds."""
    end = time.monotonic() + 10
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()


def is_running(pid: int) -> bool:
    """Say whether a process is alive, and no corpse."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_job_is_worked_once(jobs: int) -> None:
    """Results come with the place of their job, here or from processes; one worker keeps the order."""
    with make_executor(jobs) as executor:
        told = list(run_jobs(square_slowly, range(12), executor))
    assert sorted((at, square) for at, (square, _) in told) == [(n, n * n) for n in range(12)]
    workers = {pid for _, (_, pid) in told}
    assert (workers == {os.getpid()}) is (jobs == 1)
    assert len(workers) == jobs
    if jobs == 1:
        assert [at for at, _ in told] == list(range(12))


def test_nothing_is_worked_far_ahead() -> None:
    """Only a few jobs are handed out before their results are taken, none without a job."""
    worked: list[int] = []
    results = run_jobs(worked.append, range(100), InlineExecutor())
    next(results)
    assert len(worked) == JOBS_PER_WORKER
    assert list(run_jobs(worked.append, [], InlineExecutor())) == []


def test_a_job_whose_worker_dies_is_handed_out_again(tmp_path: Path) -> None:
    """The others that were at work with it too, and each result comes once."""
    with RestartingProcessPool(2) as executor:
        told = sorted(run_jobs(die_once_at_three, [(str(tmp_path / "dead"), n) for n in range(8)], executor))
    assert (tmp_path / "dead").exists()
    assert told == [(n, n * n) for n in range(8)]


def test_a_job_that_kills_every_worker_is_given_up() -> None:
    """After three workers, with the remedy."""
    with RestartingProcessPool(1) as executor, pytest.raises(WorkerError, match=r"ended 3 times .* give fewer --jobs"):
        list(run_jobs(die_at_three, range(5), executor))


@pytest.mark.parametrize("executor", [InlineExecutor(), RestartingProcessPool(1)], ids=["here", "a process"])
def test_an_error_of_a_job_comes_through(executor: InlineExecutor | RestartingProcessPool) -> None:
    """It is no death, so it is not tried again."""
    with executor, pytest.raises(ValueError, match="three"):
        list(run_jobs(raise_at_three, range(5), executor))


LONG_SCRIPT = """
import sys
from attnhand.system.processes import executor_for, finished
from tests.classroom.jobs import noted
if __name__ == "__main__":
    with executor_for(2) as executor:
        for _ in finished(noted, [(sys.argv[1], n) for n in range(200)], executor):
            pass
"""


@pytest.mark.parametrize("ended_by", [signal.SIGINT, signal.SIGKILL])
def test_no_worker_outlives_the_program(tmp_path: Path, ended_by: signal.Signals) -> None:
    """Ctrl-C, which reaches all processes, and a kill of the first end everything soon, and workers say nothing."""
    command = [sys.executable, "-c", LONG_SCRIPT, str(tmp_path)]
    program = subprocess.Popen(command, env=WITH_TESTS, stderr=subprocess.PIPE, text=True, start_new_session=True)
    assert becomes_true(lambda: sum(bool(path.read_text()) for path in tmp_path.iterdir()) >= 2)
    os.killpg(program.pid, ended_by) if ended_by == signal.SIGINT else program.kill()
    _, said = program.communicate(timeout=10)
    workers = {int(path.read_text()) for path in tmp_path.iterdir()}
    assert becomes_true(lambda: not any(map(is_running, workers)))
    assert len(list(tmp_path.iterdir())) < 20
    assert said.count("Traceback") <= 1  # this program's own


# a cluster


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[int]]]:
    """Start a scheduler and two workers as processes of their own; return its address and their numbers."""
    file = tmp_path_factory.mktemp("cluster") / "scheduler.json"
    common = ["--scheduler-file", str(file), "--no-dashboard"]
    commands = [["scheduler", *common, "--port", "0", "--host", "127.0.0.1"]]
    commands += [["worker", *common, "--no-nanny", "--nthreads", "1", "--host", "127.0.0.1"]] * 2
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "dask", *command],
            env=WITH_TESTS,
            cwd=file.parent,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for command in commands
    ]
    assert becomes_true(file.exists)
    address = json.loads(file.read_text())["address"]
    yield address, [process.pid for process in started[1:]]
    for process in started:
        process.kill()
        process.wait()


def test_a_cluster_goes_on_without_a_worker_that_was_killed(cluster: tuple[str, list[int]]) -> None:
    """Both work; one is killed half-way; every result comes once, the last of them from the other."""
    address, workers = cluster
    assert becomes_true(lambda: _workers(address) == 2)
    told = []
    with make_executor(1, address) as executor:
        for at, (square, pid) in run_jobs(square_slowly, range(60), executor):
            told.append((at, square, pid))
            if len(told) == 20:
                os.kill(workers[0], signal.SIGKILL)
    assert sorted((at, square) for at, square, _ in told) == [(n, n * n) for n in range(60)]
    assert {pid for _, _, pid in told} == set(workers)
    assert {pid for _, _, pid in told[-20:]} == {workers[1]}


def _workers(address: str) -> int:
    try:
        with DaskExecutor(address) as cluster:
            return cluster.workers
    except WorkerError as refusal:
        assert "has no workers: start some with `dask worker" in str(refusal)
        return 0


def test_a_scheduler_that_is_not_there_is_told() -> None:
    """No address and a port where nobody listens, within some seconds."""
    with pytest.raises(WorkerError, match="no scheduler answers at nonsense: start one with `dask scheduler`"):
        make_executor(1, "nonsense")


def test_without_dask_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is named."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(WorkerError, match=r"pip install 'attnhand\[cluster\]'"):
        make_executor(1, "tcp://127.0.0.1:8786")
