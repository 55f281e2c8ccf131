"""Slots: the texts that differ between sheets of one kind, which share a layout and have other numbers."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, assert_never

from attnhand.attention.questions import Part
from attnhand.sheet import sentences
from attnhand.sheet.conclusion import (
    build_closing_sentences,
    build_comparison_sentences,
    format_code_line,
    format_number_line,
)
from attnhand.sheet.questions import (
    AskedQuestion,
    format_answer_line,
    format_guess_line,
    format_question_line,
    format_reason_line,
    format_try_end,
    list_tries,
)
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import Text, parse_markup


class SlotKind(StrEnum):
    """Which text of a sheet stands in a slot."""

    WORKED = "worked"  # the cell that is worked as an example
    GUESS = "guess"  # what is guessed before the scores
    QUESTION = "question"  # what is asked in the end
    TRY = "try"  # what is done before the cells of a try
    TRY_END = "try end"  # the half sentence after them; on a key the whole
    ANSWER = "answer"  # its answer, on a key
    REASON = "reason"  # why its answer is right, on a key
    CLOSING = "closing"  # a closing sentence of a key
    COMPARISON = "comparison"  # a sentence of a key about how good the shortcut was
    POWERS = "powers"  # the powers that the sheet needs
    CODE = "code"  # the line with the sheet code
    CODE_AND_SOURCES = "code and sources"  # the same, and the papers behind the form
    CODE_AND_CREDIT = "code and credit"  # and whom the shortcuts come from
    NUMBER = "number"  # the student's №
    NAME = "name"  # the student's name; it is set as its box has room


class Slot(NamedTuple):
    """A place for a text that each sheet fills with its own."""

    kind: SlotKind
    stage_name: str = ""
    """Of a line of sums; of a guess that before which it is made; of a question the address of its answer."""

    sentence_index: int = 0
    """Of a closing sentence or one of the comparison, from 0."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a sheet."""

    text: Text
    slot: Slot | None = None
    """None where every sheet of this kind says the same."""

    uncopied: Text | None = None
    """The same where nothing is drawn to copy into; None where it asks for no copy."""


def build_slot_texts(
    sheet: Sheet, slots: Collection[Slot], every_question: Sequence[AskedQuestion]
) -> Mapping[Slot, Text] | None:
    """Return the text for each slot; None if this sheet needs a slot that the page lacks.

    Slots that stay empty on this sheet are left out, and that of the name, which depends on its box.
    """
    texts: dict[Slot, str | Text | None] = {}
    questions = [question for question in every_question if question.name]
    for question in questions:
        texts[Slot(SlotKind.QUESTION, question.name)] = format_question_line(question)
        if question.lead:
            texts[Slot(SlotKind.TRY, question.name)] = question.lead
        if sheet.is_solved:
            texts[Slot(SlotKind.ANSWER, question.name)] = format_answer_line(question)
        if question.has_reason and sheet.is_solved:
            texts[Slot(SlotKind.REASON, question.name)] = format_reason_line(sheet, question)
    for first, end in list_tries(every_question):
        texts[Slot(SlotKind.TRY_END, first.name)] = format_try_end(end, is_solved=sheet.is_solved)
    for question in every_question:
        if question.part is Part.GUESS:
            texts[Slot(SlotKind.GUESS, question.stage_name)] = format_guess_line(question)
    asked = {slot for slot in texts if slot.kind in (SlotKind.QUESTION, SlotKind.GUESS)}
    if asked != {slot for slot in slots if slot.kind in (SlotKind.QUESTION, SlotKind.GUESS)}:
        return None
    if sheet.is_solved:  # the closing questions of blank sheets are the same for everyone
        for i, text in enumerate(build_closing_sentences(sheet)):
            texts[Slot(SlotKind.CLOSING, sentence_index=i)] = text
        for i, text in enumerate(build_comparison_sentences(sheet)):
            texts[Slot(SlotKind.COMPARISON, sentence_index=i)] = text
    if not texts.keys() <= set(slots):
        return None
    for slot in slots:
        match slot.kind:
            case SlotKind.WORKED:
                position = sheet.worked_cell
                assert position is not None
                stage = sheet.problem.mechanism.get_stage(position[0])
                texts[slot] = sentences.format_worked_sentence(sheet, stage, *position[1:])
            case SlotKind.POWERS:
                texts[slot] = sentences.format_powers_reminder(sheet)
            case SlotKind.NUMBER:
                assert sheet.seat is not None
                texts[slot] = format_number_line(sheet, sheet.seat)
            case SlotKind.CODE | SlotKind.CODE_AND_SOURCES | SlotKind.CODE_AND_CREDIT:
                has_credit, has_sources = slot.kind is SlotKind.CODE_AND_CREDIT, slot.kind is not SlotKind.CODE
                texts[slot] = format_code_line(sheet, with_sources=has_sources, with_credit=has_credit)
            case SlotKind.GUESS | SlotKind.QUESTION | SlotKind.ANSWER | SlotKind.REASON:
                pass
            case SlotKind.TRY | SlotKind.TRY_END:
                pass
            case SlotKind.CLOSING | SlotKind.COMPARISON | SlotKind.NAME:
                pass
            case _:
                assert_never(slot.kind)
    return {
        slot: parse_markup(text) if isinstance(text, str) else text for slot, text in texts.items() if text is not None
    }
