"""One query's journey written out under one arithmetic: every dot product, every stage, every weighted value."""

from collections.abc import Iterator, Sequence

from attnhand.journey import Journey, Vector, journeys
from attnhand.numbers import Number
from attnhand.operations import Power
from attnhand.sheet.drawing import stage_title
from attnhand.sheet.text import as_plain, marked_up
from attnhand.written_out import CellWriter


class JourneyWriter(CellWriter):
    """Writes journeys with the numbers of a cell writer."""

    def journey(self, query: int) -> tuple[str, ...]:
        """Return the journey of a query (0-based), head by head, a line a step."""
        followed = journeys(self.sheet.problem.mechanism, self.values, query)
        return tuple(line for journey in followed for line in self._lines(journey, query + 1))

    def _lines(self, journey: Journey, place: int) -> Iterator[str]:
        q, k, v, z = journey.letters
        name = self._name(q, place)
        if journey.head:
            yield f"{self.sheet.say('head', head=journey.head)}:"
        yield f"{name} = {self._vector(journey.query)}"
        scores = journey.steps[0][1]
        for i, (key, score) in enumerate(zip(journey.keys, scores, strict=True), 1):
            dot = f"{self._vector(journey.query)} · {self._vector(key)}"
            yield f"{name} · {self._name(k, i)} = {dot} = {self.show(score)}"
        for stage, numbers in journey.steps[1:]:
            yield f"{stage_title(self.sheet, stage)}: {self._row(numbers)}"
            if isinstance(stage.operation, Power):
                added = " + ".join(map(self.show, numbers))
                yield f"{self.sheet.say('explain.their_sum')}: {added} = {self.show(journey.total)}"
        for i, parts in enumerate(zip(journey.weights, journey.values, journey.weighted, strict=True), 1):
            share, value, product = parts
            told = f"{self.show(share)} · {self._vector(value)} = {self._vector(product)}"
            yield f"{self._name('a', i)} · {self._name(v, i)} = {told}"
        yield f"{self.sheet.say('explain.added_up')}: {self._name(z, place)} = {self._vector(journey.output)}"

    def _name(self, letter: str, place: int) -> str:
        return as_plain(marked_up(f"{letter}_{{{place}}}"))

    def _row(self, numbers: Sequence[Number]) -> str:
        return "  ".join(map(self.show, numbers))

    def _vector(self, numbers: Vector) -> str:
        return f"({', '.join(map(self.show, numbers))})"
