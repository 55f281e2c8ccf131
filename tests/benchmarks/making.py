"""What is behind every page: problems drawn and vetted, solved both ways, proved, laid out."""

from collections.abc import Callable, Iterator
from functools import partial

from attnhand.layout.lay_out import lay_out
from attnhand.problems.generator import generate_problem
from attnhand.problems.levels import Level
from attnhand.problems.request import Request
from attnhand.sheet.make import make_sheet_from_request
from tests.benchmarks.measuring import in_turn, median, table, time_work


def measure_making(count: int, runs: int) -> Iterator[str]:
    """Yield the table: milliseconds a sheet, in one process."""
    sheets = [make_sheet_from_request(Request(seed=seed)) for seed in range(count)]
    works: dict[str, Callable[[], float]] = {
        f"drawing and vetting, {level}": partial(_each, count, partial(_draw, level)) for level in Level
    }
    works["drawing, solving both ways, proving"] = partial(_each, count, _sheet)
    works["laying out, blank and key"] = lambda: time_work(
        lambda: [lay_out(part) for s in sheets for part in (s.blank, s.key)]
    )
    times = in_turn(works, runs)
    rows = [(name, f"{median(seconds) / count * 1000:.2f}") for name, seconds in times.items()]
    yield table("Making", ("one sheet", "ms"), rows)


def _each(count: int, work: Callable[[int], object]) -> float:
    return time_work(lambda: [work(seed) for seed in range(count)])


def _draw(level: Level, seed: int) -> object:
    return generate_problem(Request(seed=seed, level=level))


def _sheet(seed: int) -> object:
    return make_sheet_from_request(Request(seed=seed))
