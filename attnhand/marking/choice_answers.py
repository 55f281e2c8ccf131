"""Which of the choices that a question offers is meant, in a word or in a sentence."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from attnhand.marking.answer_sentences import Event, UnclearAnswerError, find_claims, has, scan, split_clauses
from attnhand.sheet.answer_words import list_answer_words, list_whole_answers
from attnhand.sheet.questions import AskedQuestion
from attnhand.sheet.sheet import Sheet

_LETTERS = re.compile(r"(?<![\w'])([AZА])(?![\w'])")  # the last of them is Ukrainian

_ARTICLE = re.compile(r"(?<!\w)a (?=Z)")
"""In Portuguese "a Z" is the matrix Z, and not A and Z."""


def read_choice(question: AskedQuestion, text: str, sheet: Sheet) -> str:
    """Read one of the words that the question offers, how it alone begins, or a sentence that says which it is."""
    ids = question.posed.question.choices
    written = simplify_text(_ARTICLE.sub("@", text))
    spellings = {choice: [*map(simplify_text, list_whole_answers(sheet, choice))] for choice in ids}
    for fits in (lambda spelling: spelling == written, lambda spelling: spelling.startswith(written)):
        found = [choice for choice in ids if any(map(fits, spellings[choice]))]
        if written and len(found) == 1:
            return found[0]
    marked = _LETTERS.sub(lambda match: "@z" if match[1] == "Z" else "@a", text.replace("*", ""))
    events = scan(marked, list_answer_words(sheet, question))
    if "outputs" in ids:
        return _judge_what_changes(events)
    return _judge_yes_or_no(events) if "yes" in ids else _judge_by_elimination(events, ids)


def simplify_text(text: str) -> str:
    """Return a text in small letters, without blanks, signs of a sentence and markup."""
    return re.sub(r"[\s.,;:!?^*_\"'()]", "", unicodedata.normalize("NFKC", text).casefold()).replace("−", "-")


def _judge_by_elimination(events: list[Event], ids: Sequence[str]) -> str:
    """Return the only choice that is affirmed, or the only one that is left."""
    unchanged = next((choice for choice in ids if choice in ("same", "nothing")), "")
    said: list[Event] = []
    for clause in split_clauses(events, "but"):
        if has(clause, "axis"):
            raise UnclearAnswerError
        if has(clause, "rest"):
            continue
        meanings = {"stay": unchanged, "less": "less" if "less" in ids else "not"}
        if unchanged and has(clause, "change") and has(clause, "not", "nothing"):  # it does not change
            meanings |= {"not": "", "nothing": "", "change": unchanged}
        said += [replace(event, meaning=meanings.get(event.meaning, event.meaning)) for event in clause]
        said.append(Event(",", ","))
    affirmed, denied = find_claims(said, ids, may_be_list=False)
    left = affirmed or ({*ids} - denied if denied else set())
    if len(left) != 1:
        raise UnclearAnswerError
    return left.pop()


def _judge_yes_or_no(events: list[Event]) -> str:
    """Return what is said first, where nothing in the sentence says otherwise, such as that two things differ."""
    claims = {
        "no" if (event.meaning == "different") is not has(clause, "not", "no") else "yes"
        for clause in split_clauses(events, "but")
        for event in clause
        if event.meaning in ("equal", "different")
    }
    said = [event.meaning for event in events if event.meaning in ("yes", "no", "not")]
    first = said[0] if said and said[0] != "not" else "".join(claims)
    against = {"yes": {"no"}, "no": {"yes"}}.get(first)
    if against is None or claims & against:
        raise UnclearAnswerError
    if (first == "no" and "yes" in said) or (first == "yes" and not claims and {"no", "not"} & {*said}):
        raise UnclearAnswerError
    return first


def _judge_what_changes(events: list[Event]) -> str:
    """Return what is said to change of A and Z. What is not named stays, where another is said to change."""
    if has(events, "or"):
        raise UnclearAnswerError
    found: dict[str, bool] = {}
    says_nothing = is_unchanged = False
    last: tuple[bool, bool] | None = None
    """Whether change was spoken of, or that something stays; and whether that was denied."""
    carried: list[str] = []
    told = [event for event in events if event.text != ":"]  # A: no, Z: yes
    clauses = split_clauses(told, "but", "and")
    for clause, after in pairwise([*clauses, []]):
        if _is_ambiguous(clause, has_others=sum(bool(_list_matrices(each)) for each in clauses) > 1):
            raise UnclearAnswerError
        named = [*carried, *_list_matrices(clause)]
        carried = []
        states = {event.meaning for event in clause} & {"change", "stay"}
        is_denied = has(clause, "not") or bool(named and has(clause, "nothing"))
        if _is_open(clause, after):
            carried = named  # A and Z change
            continue
        if states:
            last = (states == {"change"}, is_denied)
        if named:
            changes = _find_change(clause, last, is_denied=is_denied, has_state=bool(states))
            others = {"weights", "outputs"} - {*named} if has(clause, "only") else set()
            for name, value in [*((name, changes) for name in named), *((name, not changes) for name in others)]:
                if found.setdefault(name, value) is not value:
                    raise UnclearAnswerError
        elif has(clause, "nothing"):
            says_nothing = True
            if states == {"stay"}:
                raise UnclearAnswerError
        elif states:
            is_unchanged |= (states == {"change"}) is is_denied
        elif is_denied and found:
            raise UnclearAnswerError
    changed = [name for name, changes in found.items() if changes]
    if not changed and (says_nothing or len(found) == 2 or (is_unchanged and not found)):
        return "nothing"
    if not changed or says_nothing:
        raise UnclearAnswerError
    return "weights-and-outputs" if len(changed) == 2 else changed[0]


def _list_matrices(clause: Iterable[Event]) -> list[str]:
    """Return which of A and Z a clause names, both where it says so."""
    found = [event.meaning for event in clause]
    both = ["weights", "outputs"]
    return both if "weights-and-outputs" in found else [name for name in both if name in found]


def _is_ambiguous(clause: list[Event], *, has_others: bool) -> bool:
    """Say whether a clause has two readings: "not both", "Z not A", or a word of which nobody knows what it says."""
    said = [event.meaning for event in clause]
    if "change" in said and "stay" in said:
        return True
    if "not" in said and _list_matrices(clause):
        before, after = clause[: said.index("not")], clause[said.index("not") :]
        if has(after, "weights-and-outputs") or (_list_matrices(before) and _list_matrices(after)):
            return True
    tells = has(clause, "change", "stay", "not", "nothing", "only", "too", "affirm")
    return has_others and bool(_list_matrices(clause)) and not tells and "" in said


def _is_open(clause: list[Event], after: list[Event]) -> bool:
    """Say whether a clause only names a matrix, and what is said of it is said of another, too: A | and Z change."""
    says_more = has(clause, "change", "stay", "not", "nothing", "only", "too", "affirm")
    if says_more or not _list_matrices(clause) or not has(after[:1], "and") or not _list_matrices(after):
        return False
    first = next(at for at, event in enumerate(after) if event.meaning in ("weights", "outputs", "weights-and-outputs"))
    return not has(after[:first], "not", "only")


def _find_change(clause: list[Event], last: tuple[bool, bool] | None, *, is_denied: bool, has_state: bool) -> bool:
    """Say whether a matrix is said to change: in so many words, or by what was said of another before."""
    if last is None:
        return not is_denied
    is_change, was_denied = last
    did_change = is_change is not was_denied
    if has_state:
        return did_change
    if has(clause, "too") and not (is_denied and did_change):  # A stays, Z too
        return did_change
    if is_denied and not (was_denied and not is_change):  # A stays, Z does not; A changes, Z does not; nor does Z
        return not is_change
    if not is_denied and (did_change or has(clause, "only", "but") or (is_change and has(clause, "affirm"))):
        return True
    raise UnclearAnswerError
