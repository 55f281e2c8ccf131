"""Long work in pieces: in this process, in several, and on a real Dask cluster whose workers die one by one."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from attnhand.errors import WorkerError
from attnhand.system.cluster import DaskWorkers
from attnhand.system.processes import (
    JOBS_PER_WORKER,
    MIN_JOBS_FOR_PROCESSES,
    ProcessWorkers,
    delay_interrupt,
    make_workers,
    run_in_order,
    run_jobs,
)
from tests.cli.running import RESTORE_CTRL_C
from tests.system.jobs import (
    LONGEST_WAIT,
    die_at_three,
    die_once_at_three,
    meet_others,
    raise_at_three,
    square_slowly_at_first,
    wait_until,
)

ROOT = Path(__file__).parents[2]
WITH_TESTS = os.environ | {"PYTHONPATH": str(ROOT)}


CLUSTER_SETTINGS = {
    "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
    # a result is asked of a worker that has died, else for half a minute
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "5s",
}


def is_running(pid: int) -> bool:
    """Say whether a process is alive, and no corpse."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("count", [1, 2])
def test_every_job_is_worked_once(count: int, tmp_path: Path) -> None:
    """Results come in the order of the jobs, from here or from as many processes as were asked for."""
    with make_workers(count) as workers:
        results = list(run_jobs(meet_others, [(str(tmp_path), n, count) for n in range(12)], workers))
    assert [square for square, _ in results] == [n * n for n in range(12)]
    pids = {pid for _, pid in results}
    assert len(pids) == count
    assert (pids == {os.getpid()}) is (count == 1)


@pytest.mark.parametrize("count", [1, 2])
def test_nothing_is_worked_far_ahead(count: int) -> None:
    """Only a few jobs are handed out before their results are taken."""
    left = iter(range(100))
    with ProcessWorkers(count) as workers:
        results = run_jobs(abs, left, workers)
        assert [next(results), next(results)] == [0, 1]
        assert next(left) == JOBS_PER_WORKER * count + 1
        assert list(run_jobs(abs, [], workers)) == []


def test_a_job_whose_worker_dies_is_worked_again(tmp_path: Path) -> None:
    """The others that were lost with it too, and each result comes once."""
    with ProcessWorkers(2) as workers:
        results = list(run_jobs(die_once_at_three, [(str(tmp_path / "dead"), n) for n in range(30)], workers))
    assert (tmp_path / "dead").exists()
    assert results == [n * n for n in range(30)]


def test_a_job_that_ends_two_workers_is_given_up() -> None:
    """With the remedy."""
    with ProcessWorkers(1) as workers, pytest.raises(WorkerError, match=r"ended twice .* give fewer `jobs="):
        list(run_jobs(die_at_three, range(5), workers))


@pytest.mark.parametrize("processes", [1, 2])
def test_what_comes_of_a_job_that_ends_two_workers_can_be_said(processes: int) -> None:
    """Of it alone: whatever else was lost when its worker died is worked again."""
    results = list(run_in_order(die_at_three, range(30), processes, give_up=lambda number: -number))
    assert results == [-n if n == 3 else n for n in range(30)]


def test_a_script_needs_no_guard(tmp_path: Path) -> None:
    """Workers do not run the program again that started them."""
    script = tmp_path / "script.py"
    script.write_text(
        "from attnhand.system.processes import ProcessWorkers, run_jobs\n"
        "print('begun')\n"
        "with ProcessWorkers(2) as workers:\n"
        "    print(list(run_jobs(abs, [-3, 4], workers)))\n"
    )
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False, env=WITH_TESTS)
    assert (ran.stdout, ran.stderr) == ("begun\n[3, 4]\n", "")


@pytest.mark.parametrize("count", [1, 2], ids=["here", "processes"])
def test_an_error_of_a_job_comes_through(count: int) -> None:
    """It is no death, so it is not tried again."""
    with make_workers(count) as workers, pytest.raises(ValueError, match="three"):
        list(run_jobs(raise_at_three, range(5), workers))


@pytest.mark.parametrize("count", [0, 1, MIN_JOBS_FOR_PROCESSES - 1, MIN_JOBS_FOR_PROCESSES, 90])
@pytest.mark.parametrize("processes", [1, 2])
def test_short_work_comes_back_in_order(count: int, processes: int) -> None:
    """Also from processes that finish in another; every job is counted, and a few are not worth a process."""
    steps: list[int] = []
    results = list(run_in_order(square_slowly_at_first, range(count), processes, advance=steps.append))
    assert [square for square, _ in results] == [n * n for n in range(count)]
    assert sum(steps) == count
    workers = {pid for _, pid in results} - {os.getpid()}
    assert bool(workers) is (processes == 2 and count >= MIN_JOBS_FOR_PROCESSES)


LONG_SCRIPT = """
import sys
from pathlib import Path
from attnhand.system.processes import make_workers, run_jobs
from tests.system.jobs import work_until_released
if __name__ == "__main__":
    with make_workers(2) as workers:
        try:
            list(run_jobs(work_until_released, [(sys.argv[1], n) for n in range(200)], workers))
        except KeyboardInterrupt:
            (Path(sys.argv[1]) / "interrupted").touch()
            raise
"""

INTERRUPTED_START = """
import signal, time
from multiprocessing import forkserver
from attnhand.system.processes import make_workers, run_jobs
read_signed, started = forkserver.read_signed, []

def interrupt_second_start(fd):
    started.append(read_signed(fd))
    if len(started) == 2:
        signal.raise_signal(signal.SIGINT)
    return started[-1]

forkserver.read_signed = interrupt_second_start
if __name__ == "__main__":
    with make_workers(2) as workers:
        list(run_jobs(time.sleep, [2, 0, 0], workers))
"""
"""Ctrl-C when the second worker runs, and this process is about to write down that there is one."""


@contextlib.contextmanager
def start_script(script: str, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """Start a program in a session of its own; nothing of it is left in the end."""
    command = [sys.executable, "-c", RESTORE_CTRL_C + script, *arguments]
    with subprocess.Popen(
        command, env=WITH_TESTS, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as started:
        try:
            yield started
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(started.pid, signal.SIGKILL)


def list_workers(folder: Path) -> list[int]:
    """Return the process of every job that was begun."""
    return [int(text) for path in folder.glob("*.job") if (text := path.read_text())]


@pytest.mark.parametrize("ended_by", [signal.SIGINT, signal.SIGKILL])
def test_no_worker_outlives_the_program(tmp_path: Path, ended_by: signal.Signals) -> None:
    """Ctrl-C, which reaches all processes, and a kill of the first end everything, and workers say nothing."""
    with start_script(LONG_SCRIPT, str(tmp_path)) as program:
        wait_until(lambda: len(list_workers(tmp_path)) == 2)
        if ended_by == signal.SIGINT:
            os.killpg(program.pid, signal.SIGINT)
            wait_until((tmp_path / "interrupted").exists)
            (tmp_path / "released").touch()  # what a worker is at is finished first
        else:
            program.kill()
        _, errors = program.communicate(timeout=LONGEST_WAIT)
        workers = list_workers(tmp_path)
        wait_until(lambda: not any(map(is_running, workers)))
    assert len(set(workers)) == 2
    assert len(workers) <= 2 * JOBS_PER_WORKER  # of 200 jobs none but those that were handed out
    assert errors.count("Traceback") == (ended_by == signal.SIGINT)  # this program's own


def test_ctrl_c_ends_a_program_that_starts_its_workers() -> None:
    """Each is known in the end: one that is not would take what tells another to end, which is then waited for."""
    with start_script(INTERRUPTED_START) as program:
        _, errors = program.communicate(timeout=LONGEST_WAIT)
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert errors.count("Traceback") == 1


def test_processes_that_start_do_not_hear_of_ctrl_c() -> None:
    """Neither the one that loads what workers need nor they themselves: it is for who waits for their results."""
    script = """
from attnhand.system.processes import ProcessWorkers, run_jobs
if __name__ == "__main__":
    with ProcessWorkers(1, ["tests.system.interrupted_start"]) as workers:
        assert list(run_jobs(abs, range(3), workers)) == [0, 1, 2]
"""
    with start_script(script) as program:
        _, errors = program.communicate(timeout=LONGEST_WAIT)
    assert (program.returncode, errors) == (0, "")


@pytest.mark.parametrize("is_masked", [True, False], ids=["mask", "no mask"])
def test_ctrl_c_waits_but_is_not_lost(is_masked: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes when the bookkeeping is done, whichever thread takes it and where signals cannot be masked."""
    if not is_masked:
        monkeypatch.delattr(signal, "pthread_sigmask")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    done = False
    try:
        with pytest.raises(KeyboardInterrupt), delay_interrupt():
            sender = threading.Thread(target=os.kill, args=(os.getpid(), signal.SIGINT))
            sender.start()
            sender.join()
            done = True
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert done


# a cluster


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[str]:
    """Start a scheduler, which believes that a job ends its workers once two have died, and three workers."""
    file = tmp_path / "scheduler.json"
    common = ["--scheduler-file", str(file), "--no-dashboard"]
    commands = [["scheduler", *common, "--port", "0", "--host", "127.0.0.1"]]
    commands += [["worker", *common, "--no-nanny", "--nthreads", "1", "--host", "127.0.0.1"]] * 3
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "dask", *command],
            env=WITH_TESTS | CLUSTER_SETTINGS,
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for command in commands
    ]
    try:
        wait_until(lambda: file.exists() and file.read_text().rstrip().endswith("}"))
        yield json.loads(file.read_text())["address"]
    finally:
        for process in started:
            process.kill()
            process.wait()


def count_cluster_workers(address: str) -> int:
    """Return how many workers have found their scheduler."""
    try:
        with DaskWorkers(address) as cluster:
            return cluster.count
    except WorkerError as refusal:
        assert "has no workers: start some with `dask worker" in str(refusal)
        return 0


def test_a_cluster_goes_on_without_a_worker_that_dies(cluster: str, tmp_path: Path) -> None:
    """What it had in hand is worked by another; a job that each worker dies of is given up, with the remedy."""
    wait_until(lambda: count_cluster_workers(cluster) == 3)
    with make_workers(1, cluster) as workers:
        results = list(run_jobs(die_once_at_three, [(str(tmp_path / "dead"), n) for n in range(60)], workers))
    assert results == [n * n for n in range(60)]
    assert (tmp_path / "dead").exists()
    assert count_cluster_workers(cluster) == 2
    with (
        make_workers(1, cluster) as workers,
        pytest.raises(WorkerError, match=r"one after the other .* give them"),
    ):
        list(run_jobs(die_at_three, [3], workers))
    assert count_cluster_workers(cluster) == 0


def test_an_error_of_a_job_comes_through_from_a_cluster(cluster: str) -> None:
    """As from a process here."""
    wait_until(lambda: count_cluster_workers(cluster) > 0)
    with make_workers(1, cluster) as workers, pytest.raises(ValueError, match="three"):
        list(run_jobs(raise_at_three, range(5), workers))


def test_a_scheduler_that_is_not_there_is_told() -> None:
    """No address and a port where nobody listens, within some seconds."""
    with pytest.raises(WorkerError, match="no scheduler answers at nonsense: start one with `dask scheduler`"):
        make_workers(1, "nonsense")


def test_without_dask_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is named."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(WorkerError, match=r"pip install 'attnhand\[cluster\]'"):
        make_workers(1, "tcp://127.0.0.1:8786")
