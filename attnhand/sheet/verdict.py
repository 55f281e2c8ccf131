"""What the sheet says in the end: whom a query attends to, and how good the shortcut was."""

from collections.abc import Sequence

from attnhand.matrix import transposed
from attnhand.numbers import as_float, rounded
from attnhand.operations import Along, Divide
from attnhand.sheet.drawing import differs
from attnhand.sheet.figures import hand_figure
from attnhand.sheet.sheet import Sheet
from attnhand.solution import Comparison, SolvedStage

BLANK = "_____"


def _weights(sheet: Sheet) -> SolvedStage:
    return next(solved for solved in sheet.solution if isinstance(solved.stage.operation, Divide))


def what_it_says(sheet: Sheet) -> str:
    """Return "q₁ attends most to token __ with weight __; it ignores most token __." (markup), filled on the key."""
    solved = _weights(sheet)
    operation = solved.stage.operation
    assert isinstance(operation, Divide)
    query = sheet.queries[0]
    line = (transposed(solved.hand) if operation.along is Along.COLUMNS else solved.hand)[query]
    top, least = (_places(line, pick) for pick in (max(line), min(line)))
    problem = sheet.problem
    weight = hand_figure(max(line), problem.rules.decimals, as_decimal=problem.decimal_notation)
    names = {"top": _listed(sheet, top), "weight": weight, "least": _listed(sheet, least)}
    if not sheet.solved:
        names = dict.fromkeys(names, BLANK)
    return f"{sheet.say('says.head')} {sheet.say('says.blank', query=f'q_{{{query + 1}}}', **names)}"


def _places(line: Sequence[object], value: object) -> list[int]:
    return [i for i, weight in enumerate(line) if weight == value]


def _listed(sheet: Sheet, tokens: Sequence[int]) -> str:
    numbers = [str(token + 1) for token in tokens]
    return numbers[0] if len(numbers) == 1 else f"{', '.join(numbers[:-1])} {sheet.say('and')} {numbers[-1]}"


def comparison_sentences(sheet: Sheet) -> list[str]:
    """Return how good the shortcut was, over the queries that are asked (markup)."""
    comparison = next(c for c in sheet.solution.comparisons() if c.stage == _weights(sheet).stage.name)
    if not any(differs(solved) for solved in sheet.solution):
        return [f"{sheet.say('good.head')} {sheet.say('good.none')}"]
    same = [q for q in sheet.queries if comparison.hand_top[q] == comparison.exact_top[q]]
    key = "good.all" if len(same) == len(sheet.queries) else "good.some"
    head = f"{sheet.say('good.head')} {sheet.say(key, same=len(same), of=len(sheet.queries))}"
    notes = [note for q in sheet.queries for note in _notes(sheet, comparison, q)]
    return [" ".join([head, *notes]), f"{_change(sheet, comparison)} {sheet.say('good.decimals')}"]


def _notes(sheet: Sheet, comparison: Comparison, query: int) -> list[str]:
    hand, exact = comparison.hand_top[query], comparison.exact_top[query]
    name = f"q_{{{query + 1}}}"
    notes = [
        sheet.say("good.tie", query=name, tokens=_listed(sheet, tied), way=sheet.say(way))
        for tied, way in ((hand, "good.by_hand"), (exact, "good.exactly"))
        if len(tied) > 1
    ]
    if not notes and hand != exact:
        notes.append(sheet.say("good.differs", query=name, hand=_listed(sheet, hand), exact=_listed(sheet, exact)))
    return notes


def _change(sheet: Sheet, comparison: Comparison) -> str:
    places = sheet.problem.rules.decimals
    asked = sheet.queries
    names = (
        f"q_{{{asked[0] + 1}}}…q_{{{asked[-1] + 1}}}" if len(asked) > 2 else ", ".join(f"q_{{{q + 1}}}" for q in asked)
    )
    moved = ", ".join(rounded(comparison.moved[q], places) for q in asked)
    solved = _weights(sheet)
    change = max(
        abs(as_float(hand) - exact)
        for i, (row, exact_row) in enumerate(zip(solved.hand, solved.exact, strict=True))
        for j, (hand, exact) in enumerate(zip(row, exact_row, strict=True))
        if (i if sheet.is_rows else j) in asked
    )
    return sheet.say("good.change", change=rounded(change, places), queries=names, moved=moved)
