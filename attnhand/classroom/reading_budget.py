"""What a folder of answers may cost: files made to be slow cannot keep the others from being marked."""

from dataclasses import dataclass, replace

from attnhand.classroom.papers import FoundFile
from attnhand.text import Message

SECONDS_IN_ALL, SECONDS_PER_FILE = 120.0, 0.5
"""Processor seconds; the largest form takes a fifth of one, other files a fiftieth."""

MAX_BYTES = 20_000_000_000
"""A thousand files of the largest size that is read."""


@dataclass(slots=True)
class ReadingBudget:
    """What is left, as files are handed out and come back."""

    seconds: float
    bytes_left: int = MAX_BYTES
    slowest: tuple[float, str] = (0.0, "")
    """Seconds and name of the file that took longest."""

    def allow(self, file: FoundFile) -> FoundFile:
        """Return the file, or one that says why it is not read."""
        if self.seconds < 0:
            return replace(file, problem=Message("answers.slow-folder", slowest=self.slowest[1]))
        if file.size > self.bytes_left:
            return replace(file, problem=Message("answers.large-folder", most=f"{MAX_BYTES:,}"))
        self.bytes_left -= file.size
        return file

    def spend(self, seconds: float, file: FoundFile) -> None:
        """Take off what a file took."""
        self.seconds -= seconds
        self.slowest = max(self.slowest, (seconds, file.display_path))


def make_reading_budget(file_count: int) -> ReadingBudget:
    """Return what so many files may cost: some ten times what honest ones do."""
    return ReadingBudget(SECONDS_IN_ALL + SECONDS_PER_FILE * file_count)
