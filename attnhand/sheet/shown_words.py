"""The sentences that differ from sheet to sheet of one shape: what a source says on one sheet."""

from collections.abc import Iterable, Mapping

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


def end_sources(sheet: Sheet) -> set[str]:
    """Return the sources of all that is said in the end of a key; a blank sheet says the same to everyone."""
    if not sheet.solved:
        return set()
    said, compared = closing_sentences(sheet), comparison_sentences(sheet)
    return {f"{kind} {at}" for kind, told in ((SAYS, said), (COMPARES, compared)) for at in range(len(told))}


def words_of_sources(sheet: Sheet, sources: Iterable[str]) -> Mapping[str, Text]:
    """Return what the sources say on this sheet; what it does not say is left out."""
    lists: dict[str, list[str]] = {}
    told: dict[str, str | None] = {}
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
                if kind not in lists:
                    lists[kind] = closing_sentences(sheet) if kind == SAYS else comparison_sentences(sheet)
                told[source] = lists[kind][int(rest)] if int(rest) < len(lists[kind]) else None
            case "number":
                told[source] = number_line(sheet)
            case "name":
                told[source] = None
            case _:
                told[source] = code_line(sheet, credit=kind == CODE_AND_CREDIT)
    return {source: marked_up(text) for source, text in told.items() if text is not None}
