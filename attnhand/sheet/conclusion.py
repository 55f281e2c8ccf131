"""What the sheet says in the end: whom a query attends to, and how good the shortcut was."""

from collections.abc import Collection, Mapping, Sequence

from attnhand.attention.matrix import transposed
from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import as_float, rounded
from attnhand.attention.solution import Carried, Comparison
from attnhand.problems.mistake import Planted
from attnhand.sheet import sentences
from attnhand.sheet.build_grids import changed_cells, differs, figure_on, worked_cell
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import Text, marked_up

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


BLANK = 8 * "_"

MOST_NAMED = 6
"""Cells of a mistake that are named one by one."""


def closing_sentences(sheet: Sheet) -> list[str]:
    """Return what a student is asked in the end (markup), with the answers on the key."""
    if sheet.planted and not sheet.solved:
        asked = (f"{sheet.say(key)} {4 * BLANK}" for key in ("mistake.cell", "mistake.why", "mistake.corrected"))
        return [sheet.say("mistake.find"), *asked]
    told = [what_it_says(sheet), *questions(sheet)]
    if sheet.carried and sheet.solved:
        told = [_carried_told(sheet, sheet.carried), *told]
    return [_mistake_told(sheet, sheet.planted), *told] if sheet.planted else told


def _mistake_told(sheet: Sheet, planted: Planted) -> str:
    """Return where the mistake was made, what it was and what it changed (markup)."""
    changed = {stage.name: changed_cells(sheet, planted, stage) for stage in sheet.problem.mechanism.stages}
    here = changed[planted.stage]
    cells = [f"{planted.stage}[{i + 1},{j + 1}]" for i, j in here[:MOST_NAMED]]
    after = sum(map(len, changed.values())) - len(here)
    told = sheet.say(
        "mistake.key",
        stage=planted.stage,
        told=sheet.say(f"slip.{planted.slip}"),
        cells=", ".join(cells) + (" …" if len(here) > MOST_NAMED else ""),
    )
    if not after:
        return told
    return f"{told} {sheet.say('mistake.after.one' if after == 1 else 'mistake.after', count=after)}"


def _carried_told(sheet: Sheet, carried: Carried) -> str:
    """Return from which values the key carries on, and what they look like (markup)."""
    values = ", ".join(f"{name}[{i + 1},{j + 1}] = {figure_on(sheet, value)}" for (name, i, j), value in carried.values)
    return " ".join([sheet.say("carried.from", values=values), *carried.looks_like, sheet.say("carried.marks")])


def what_it_says(sheet: Sheet) -> str:
    """Return "q₁ attends most to token __ with weight __; it ignores most token __." (markup), filled on the key."""
    stage = sheet.weights[0]
    hand = sheet.shown[stage.name].hand
    # under a mask the first queries have little to choose from
    query = sheet.queries[-1 if sheet.problem.form.causal else 0]
    line = (hand if sheet.is_rows else transposed(hand))[query]
    top, least = (_places(line, pick) for pick in (max(line), min(line)))
    names = {"top": _tokens(sheet, top), "weight": figure_on(sheet, max(line)), "least": _tokens(sheet, least)}
    if not sheet.solved:
        token = sheet.say("says.token", token=BLANK)
        names = {"top": token, "weight": BLANK, "least": token}
    told = sheet.say("says.blank", query=_query(sheet, query), **names)
    if stage.head:
        told = sheet.say("in_head", head=stage.head, told=told)
    return f"{sheet.say('says.head')} {told}"


def questions(sheet: Sheet) -> list[str]:
    """Return what a student should be able to answer in the end (markup), with the answers on the key."""
    asked = []
    if sheet.problem.form.causal:
        answer = sheet.say("why.mask.answer", base=sheet.problem.rules.base) if sheet.solved else 6 * BLANK
        asked.append(f"{sheet.say('why.mask')} {answer}")
    if (twice := _said_twice(sheet)) is not None:
        letter, first, second = twice
        answer = _same_or_not(sheet, first, second) if sheet.solved else 6 * BLANK
        names = {"one": f"{letter}_{{{first + 1}}}", "other": f"{letter}_{{{second + 1}}}"}
        asked.append(f"{sheet.say('why.twice', **names)} {answer}")
    return asked


def _said_twice(sheet: Sheet) -> tuple[str, int, int] | None:
    """Return the letter of the outputs and two tokens (0-based) whose word is looked up twice; None where none is."""
    words = sheet.problem.form.embedded
    asked = [query for query in sheet.queries if query < len(words)]
    last = sheet.problem.mechanism.stages[-1]
    letter = (last.rows if sheet.is_rows else last.columns).letter
    pairs = ((i, j) for i in asked for j in asked if i < j and words[i] == words[j])
    return next(((letter, i, j) for i, j in pairs), None)


def _same_or_not(sheet: Sheet, first: int, second: int) -> str:
    """Return whether the outputs of two tokens are equal, and why."""
    hand = sheet.solution[sheet.problem.mechanism.stages[-1].name].hand
    outputs = hand if sheet.is_rows else transposed(hand)
    alike = outputs[first] == outputs[second]
    form = sheet.problem.form
    why = "positions" if form.positions else "mask" if form.causal else "order"
    return sheet.say(f"why.twice.{'same' if alike else 'different'}.{why}")


def _query(sheet: Sheet, query: int) -> str:
    return f"{sheet.query_letter}_{{{query + 1}}}"


def _places(line: Sequence[object], value: object) -> list[int]:
    return [i for i, weight in enumerate(line) if weight == value]


def _listed(sheet: Sheet, tokens: Sequence[int]) -> str:
    numbers = [str(token + 1) for token in tokens]
    return numbers[0] if len(numbers) == 1 else f"{', '.join(numbers[:-1])} {sheet.say('and')} {numbers[-1]}"


def _tokens(sheet: Sheet, tokens: Sequence[int]) -> str:
    """Return "token 2" or "tokens 1, 3 and 4"."""
    return sheet.say("says.token" if len(tokens) == 1 else "says.tokens", token=_listed(sheet, tokens))


def comparison_sentences(sheet: Sheet) -> list[str]:
    """Return how good the shortcut was, over the queries that are asked, head by head (markup)."""
    if sheet.carried:  # the page shows other weights
        return []
    head = sheet.say("good.head")
    if not any(differs(solved) for solved in sheet.solution):
        return [f"{head} {sheet.say('good.none')}"]
    told: list[str] = []
    for comparison, stage in zip(sheet.solution.comparisons(), sheet.weights, strict=True):
        same = [q for q in sheet.queries if comparison.hand_top[q] == comparison.exact_top[q]]
        key = "good.all" if len(same) == len(sheet.queries) else "good.some"
        count = sheet.say(key, same=len(same), of=len(sheet.queries))
        notes = [note for q in sheet.queries for note in _notes(sheet, comparison, q)]
        sentences = [" ".join([count, *notes]), _change(sheet, comparison, stage)]
        told += [sheet.say("in_head", head=stage.head, told=" ".join(sentences))] if stage.head else sentences
    told[0], told[-1] = f"{head} {told[0]}", f"{told[-1]} {sheet.say('good.decimals')}"
    return told


def _notes(sheet: Sheet, comparison: Comparison, query: int) -> list[str]:
    hand, exact = comparison.hand_top[query], comparison.exact_top[query]
    name = _query(sheet, query)
    notes = [
        sheet.say("good.tie", query=name, tokens=_listed(sheet, tied), way=sheet.say(way))
        for tied, way in ((hand, "good.by_hand"), (exact, "good.exactly"))
        if len(tied) > 1
    ]
    if not notes and hand != exact:
        notes.append(sheet.say("good.differs", query=name, hand=_listed(sheet, hand), exact=_listed(sheet, exact)))
    return notes


def _change(sheet: Sheet, comparison: Comparison, stage: Stage) -> str:
    places = sheet.problem.rules.decimals
    asked = sheet.queries
    names = (
        f"{_query(sheet, asked[0])}…{_query(sheet, asked[-1])}"
        if len(asked) > 2
        else ", ".join(_query(sheet, q) for q in asked)
    )
    moved = ", ".join(rounded(comparison.moved[q], places) for q in asked)
    solved = sheet.solution[stage.name]
    change = max(
        abs(as_float(hand) - exact)
        for i, (row, exact_row) in enumerate(zip(solved.hand, solved.exact, strict=True))
        for j, (hand, exact) in enumerate(zip(row, exact_row, strict=True))
        if (i if sheet.is_rows else j) in asked
    )
    return sheet.say("good.change", change=rounded(change, places), queries=names, moved=moved)
