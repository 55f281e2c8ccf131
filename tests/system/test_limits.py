"""Limits of memory and time: what meets them ends by itself, or its process does, and nothing else."""

from attnhand.system.processes import ProcessWorkers, run_in_order, run_jobs
from tests.system.jobs import fill_memory, work_without_end, work_without_end_in_c


def test_a_bounded_worker_has_a_gigabyte_of_memory() -> None:
    """What asks for more has none, and says so; a worker without bounds is not limited."""
    with ProcessWorkers(1, give_up=str) as workers:
        assert list(run_jobs(fill_memory, [10**8, 12 * 10**8], workers)) == [10**8, "MemoryError"]
    with ProcessWorkers(1) as workers:
        assert list(run_jobs(fill_memory, [12 * 10**8], workers)) == [12 * 10**8]


def test_work_that_is_late_is_stopped() -> None:
    """In Python it hears of it, and what it held open is closed; what comes after it has all of its own time."""
    with ProcessWorkers(1) as workers:
        assert list(run_jobs(work_without_end, [0.1, 0.1, 0.1], workers)) == ["late"] * 3


def test_work_that_cannot_hear_that_it_is_late_ends_its_process() -> None:
    """Within a library in C: of that job is said what came of it, and the others are done."""
    results = run_in_order(work_without_end_in_c, [0.0, 0.1, 0.0], 1, give_up=lambda _: "given up")
    assert list(results) == ["done", "given up", "done"]
