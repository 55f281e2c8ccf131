"""The sentences that differ from sheet to sheet of one shape: what a source says on one sheet."""

from collections.abc import Collection, Mapping

from attnhand.sheet import sentences
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.text import Text, marked_up
from attnhand.sheet.verdict import closing_sentences, comparison_sentences
from attnhand.sheet.worked_cell import worked_cell

WORKED = "worked"
"""The cell that is worked."""

SUMS = "sums"
"""What the lines of a stage add to; its name follows."""

SAYS, COMPARES = "says", "compares"
"""A sentence in the end of a key; its place, from 0, follows."""

CODE, CODE_AND_CREDIT = "code", "code+credit"
"""The line with the sheet code."""


NUMBER, NAME = "number", "name"
"""Of the student in a class set; the name is set as its box has room."""


def code_line(sheet: Sheet, *, credit: bool = True) -> str:
    """Return the line at the foot of a page (markup), with whom the shortcuts come from or without."""
    code = sheet.say("code", code=sheet.code) + (f" · {sheet.say('salted')}" if sheet.salted else "")
    return f"{code} · {sheet.say('credit')}" if credit and sheet.is_by_hand else code


def number_line(sheet: Sheet) -> str:
    """Return the № (markup) of a sheet that is somebody's."""
    assert sheet.holder is not None
    return f"**{sheet.say('holder.number', number=sheet.holder.printed_number)}**"


def _in_the_end(sheet: Sheet) -> dict[str, str]:
    """Return what is said in the end of a key, by source; a blank sheet says the same to everyone."""
    if not sheet.solved:
        return {}
    both = ((SAYS, closing_sentences(sheet)), (COMPARES, comparison_sentences(sheet)))
    return {f"{kind} {at}": text for kind, told in both for at, text in enumerate(told)}


def words_of_sources(sheet: Sheet, sources: Collection[str]) -> Mapping[str, Text] | None:
    """Return what the sources say on this sheet, without those that say nothing; None where it has more to say."""
    told: dict[str, str | None] = {**_in_the_end(sheet)}
    if not told.keys() <= set(sources):
        return None
    for source in sources:
        kind, _, rest = source.partition(" ")
        match kind:
            case "worked":
                place = worked_cell(sheet)
                assert place is not None
                told[source] = sentences.worked_sentence(sheet, sheet.problem.mechanism.stage(place[0]), *place[1:])
            case "sums":
                told[source] = sentences.check_sums(sheet, sheet.problem.mechanism.stage(rest))
            case "says" | "compares":
                told.setdefault(source, None)
            case "number":
                told[source] = number_line(sheet)
            case "name":
                told[source] = None
            case _:
                told[source] = code_line(sheet, credit=kind == CODE_AND_CREDIT)
    return {source: marked_up(text) for source, text in told.items() if text is not None}
