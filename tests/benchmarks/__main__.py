"""``python -m tests.benchmarks [--quick] [PART …]``: print what sheets cost, beside what they must cost.

Absolute times depend on the machine and its mood; the ratios, taken turn by turn in one run, do not. Needs the extra
``bench``: typst and reportlab, which draw the same sheets, and psutil, which looks at memory.
"""

import argparse
import os
import platform
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tests.benchmarks.classes import measure_classes, measure_grading
from tests.benchmarks.drawing import measure_drawing
from tests.benchmarks.making import measure_making
from tests.benchmarks.single import measure_single_sheets

Part = Callable[[Path], Iterator[str]]


def parts(*, quick: bool) -> dict[str, Part]:
    """Return the parts by name; quick ones take fewer sheets and tell less."""
    runs = 3 if quick else 5
    counts = (10, 100) if quick else (100, 1000, 10_000)
    return {
        "single": partial(measure_single_sheets, runs=runs),
        "class": partial(measure_classes, counts=counts, runs=runs - 2),
        "drawing": partial(measure_drawing, count=20 if quick else 100, runs=runs),
        "making": lambda _: measure_making(count=20 if quick else 100, runs=runs),
        "grade": partial(measure_grading, count=50 if quick else 1000, runs=runs - 2),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    named = parts(quick=True)
    parser.add_argument("part", nargs="*", choices=[*named, []], metavar="PART", help=f"{', '.join(named)}; else all")
    parser.add_argument("--quick", action="store_true", help="fewer sheets and runs")
    arguments = parser.parse_args()
    print(f"Python {platform.python_version()}, {os.cpu_count()} processors; medians, taken in turn.")
    for name, part in parts(quick=arguments.quick).items():
        if arguments.part and name not in arguments.part:
            continue
        with tempfile.TemporaryDirectory() as folder:
            for line in part(Path(folder)):
                print(f"\n{line}", flush=True)


if __name__ == "__main__":
    main()
