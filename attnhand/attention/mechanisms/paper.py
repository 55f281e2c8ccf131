"""From formulas to paper: what is given, what stages are called along their sides, which of them are attention."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields

from attnhand.attention.convention import Convention
from attnhand.attention.formulas.formula_list import TOKEN_SIZES, FormulaList, StageFormula
from attnhand.attention.formulas.nodes import (
    HEAD,
    Binary,
    Call,
    Formula,
    Letter,
    Node,
    Over,
    Read,
    Size,
    list_children,
    list_reads,
    walk,
)
from attnhand.attention.mechanisms.base import (
    ROUNDING,
    AttentionStages,
    Content,
    Dimension,
    Form,
    GivenMatrix,
    Mechanism,
    Origin,
    Stage,
    StageChains,
    find_form,
    find_sink,
    find_temperature,
    has_angles,
    strip_head,
)
from attnhand.attention.mechanisms.products import Product, ProductRole, find_product

OWN_LETTERS: Mapping[str, str] = {
    "K_cache": "k",
    "V_cache": "v",
    "K_all": "k",
    "V_all": "v",
    "concat": "z",
    "output": "o",
    "F1": "f",
    "relu1": "r",
    "F2": "g",
    "relu2": "y",
    "R1": "s",
    "R2": "t",
    "N1": "n",
    "N2": "m",
    "N3": "h",
    "embedding": "w",
    "W_U": "w",
    "W_U_new": "w",
    "dV": "v",
    **{f"o{block}": "q" for block in range(1, 5)},
}
"""What the vectors of a matrix are called; those of one that has a single letter by that one: Q gives q₁, q₂, …

So does Q2, a letter and the number of its block.

Each layer has letters of its own: two tables headed f₁ … f₄ would be taken for one.
"""

UNNAMED_LINES = ("squares1", "squares2", "squares3", "r1", "r2", "r3")
"""Matrices of one number a token that are no sums: beside them stands nothing, for their name above says all."""

_CONTENTS = {"W": Content.WEIGHTS, "b": Content.BIAS, "mask": Content.MASK, "g": Content.GRADIENT}
"""What a given matrix holds, by what stands before the _ of its name; any other holds tokens."""

Sides = tuple[Dimension, Dimension]
"""Rows and columns."""


def put_on_paper(
    name: str, formulas: FormulaList, stage_chains: StageChains, origin: Origin, *, whole: Sequence[Formula] = ()
) -> Mechanism:
    """Return formulas as a mechanism with tokens as columns.

    Args:
        origin: how it is built again.
        whole: its formulas with those that would work what is given.
    """
    sides = _list_sides(formulas)
    stages: list[Stage] = []
    attended = _find_attended(whole, formulas.given)
    with_fractions: set[str] = set()
    gradients = {name for name in formulas.given if _find_content(name) is Content.GRADIENT}
    for formula in formulas.stages:
        if gradients.intersection(formula.reads):
            gradients.add(formula.name)
        right_side = formula.formula.right
        if _shares_out(right_side) or attended.intersection(formula.reads):
            attended.add(formula.name)
        reads_fractions = with_fractions.intersection(formula.reads)
        is_rounded = isinstance(right_side, Call) and right_side.function in ROUNDING
        if (_divides(right_side) or has_angles(right_side) or reads_fractions) and not is_rounded:
            with_fractions.add(formula.name)
        stages.append(
            _put_stage_on_paper(
                formula,
                sides[formula.formula.name],
                formulas,
                origin,
                is_attended=formula.name in attended,
                is_gradient=formula.name in gradients,
                gives_fractions=formula.name in with_fractions,
            )
        )
    return Mechanism(
        name=name,
        formulas=formulas,
        convention=Convention.COLUMNS,
        given=tuple(_list_given(formulas, sides, [formula.name for formula in whole])),
        stages=tuple(stages),
        attentions=tuple(_find_attentions(stages, formulas, whole)),
        stage_chains=stage_chains,
        origin=origin,
    )


def _find_attended(whole: Sequence[Formula], given: Collection[str]) -> set[str]:
    """Return which given matrices come of attention where they are worked: A, and all that is mixed by it."""
    attended: set[str] = set()
    for formula in whole:
        if _shares_out(formula.right) or attended.intersection(read.matrix for read in list_reads(formula.right)):
            attended.add(formula.name)
    return attended.intersection(given)


def _divides(node: Node) -> bool:
    return any(isinstance(each, Binary) and each.sign in "/^" for each in walk(node)) and find_temperature(node) is None


def _shares_out(node: Node) -> bool:
    """Say whether numbers are divided or raised by others: not by how many there are, nor to be rounded again."""
    match node:
        case Call("nearest"):
            return False
        case Binary("/", left, Size()):
            return _shares_out(left)
        case _:
            return (isinstance(node, Binary) and node.sign in "/^") or any(map(_shares_out, list_children(node)))


def _put_stage_on_paper(
    formula: StageFormula,
    sides: Sides,
    formulas: FormulaList,
    origin: Origin,
    *,
    is_attended: bool,
    is_gradient: bool,
    gives_fractions: bool,
) -> Stage:
    right_side = formula.formula.right
    product = find_product(right_side, formula.formula.letters)
    sums = {stage.name: added for stage in formulas.stages if (added := _find_summed(stage.formula.right))}
    form = find_form(right_side, product, sums)
    sinks = {stage.name: find_sink(stage.formula.right) for stage in formulas.stages if stage.name in sums}
    return Stage(
        formula=formula,
        convention=Convention.COLUMNS,
        rows=sides[0],
        columns=sides[1],
        form=form,
        product=product,
        role=None if product is None else _find_role(product, is_attended=is_attended, is_gradient=is_gradient),
        gives_fractions=gives_fractions,
        window=formulas.known.get("window") if form is Form.MASK else None,
        sink=next((sinks[name] for name in (formula.name, *formula.reads) if name in sinks), None),
        kept_count=formulas.known.get("kept", 0),
        origin=origin,
    )


def _find_summed(right_side: Node) -> str:
    """Return which matrix a formula adds up; empty where it is no sum of cells."""
    match right_side:
        case Over("Σ", _, Read(matrix)) | Binary("+", Over("Σ", _, Read(matrix)), Binary("^")):
            return matrix
        case _:
            return ""


def _find_role(product: Product, *, is_attended: bool, is_gradient: bool) -> ProductRole:
    """Return what a product is for: whether one factor is weights, or a gradient, and whether attention came before."""
    if is_gradient:
        return ProductRole.GRADIENT
    if Content.WEIGHTS in map(_find_content, (product.left, product.right)):
        return ProductRole.LAYER if is_attended else ProductRole.PROJECTION
    return ProductRole.MIXTURE if is_attended else ProductRole.SCORES


def _find_content(name: str) -> Content:
    return _CONTENTS.get(strip_head(name).partition("_")[0], Content.TOKENS)


def _list_given(formulas: FormulaList, sides: Mapping[str, Sides], worked: Sequence[str]) -> Iterable[GivenMatrix]:
    """Return what is given in the order of reading, tokens before all else.

    Args:
        worked: what is worked where it is not given, in the order of working: in that order it is given too.
    """
    reads = dict.fromkeys(name for stage in formulas.stages for name in stage.reads)
    names = [name for name in reads if strip_head(name) in formulas.given]

    def find_place(name: str) -> tuple[bool, str, int]:
        before, _, family = name.rpartition(".")
        return _find_content(name) is not Content.TOKENS, before, worked.index(family) if family in worked else -1

    if any(strip_head(name) in worked for name in names):
        names.sort(key=find_place)
    for name in sorted(names, key=lambda name: _find_content(name) is not Content.TOKENS):
        head = int(name[1:].partition(".")[0]) if formulas.families.get(strip_head(name)) == HEAD else 0
        yield GivenMatrix(name, _find_content(name), *sides[strip_head(name)], head)


def _find_attentions(
    stages: Sequence[Stage], formulas: FormulaList, whole: Sequence[Formula]
) -> Iterable[AttentionStages]:
    """Yield which stages are each head's attention, and which matrices, where scores are given: if weights are worked.

    Args:
        whole: its formulas with those that would work what is given.
    """
    topics = {field.name for field in fields(AttentionStages)}
    given = {_name_role(formula.topic): formula.name for formula in whole if formula.name in formulas.given}
    for head in sorted({stage.head for stage in stages if stage.topic == "weights"}):
        before = f"{HEAD}{head}." if head else ""
        of_head = {topic: f"{before}{name}" for topic, name in given.items() if topic in topics}
        own = {_name_role(stage.topic): stage.name for stage in stages if stage.head == head}
        of_head |= {topic: name for topic, name in own.items() if topic in topics}
        yield AttentionStages(**of_head)


def _name_role(topic: str) -> str:
    """Return what a stage is in a softmax: logits are its scores, though no query meets a key."""
    return "scores" if topic == "logits" else topic


def _list_sides(formulas: FormulaList) -> dict[str, Sides]:
    """Return rows and columns of every matrix, of heads without their number."""
    letters: dict[str, list[str]] = {}
    for formula in formulas.formulas:
        inherited: dict[Node, str] = {}
        for read in (node for node in walk(formula.right) if isinstance(node, Read)):
            if read.matrix in formulas.axes:
                own = letters.setdefault(read.matrix, _choose_letters(formulas, read.matrix, read.indices, inherited))
                inherited = (
                    dict(zip(_leave_out_head(formulas, read.matrix, read.indices), own, strict=True)) | inherited
                )
        letters[formula.name] = _choose_letters(formulas, formula.name, formula.indices, inherited)
    return {name: _make_sides(formulas, name, own) for name, own in letters.items()}


def _leave_out_head(formulas: FormulaList, name: str, indices: Sequence[Node]) -> Sequence[Node]:
    """Return the indices of a matrix without that of its head, or of its group of heads."""
    return indices[1:] if name in formulas.families else indices


def _choose_letters(
    formulas: FormulaList, name: str, indices: Sequence[Node], inherited: Mapping[Node, str]
) -> list[str]:
    """Return what the vectors of a matrix are called, side by side: those of tokens have a letter.

    Of queries against keys they are called as the queries and the keys.
    """
    axes = formulas.axes[name][name in formulas.families :]
    is_named = [axis in (*TOKEN_SIZES, "vocabulary", "moved") for axis in axes]
    letter, _ = _split_number(name)
    own = OWN_LETTERS.get(name, letter.lower())
    if own and len(axes) == 2 and sum(is_named) == 1:
        return [own if named else "" for named in is_named]
    indices = _leave_out_head(formulas, name, indices)
    if name in formulas.given and all(is_named):  # queries against keys, and nothing says yet what these are called
        named_before = [inherited[index] for index in indices if index in inherited]
        own_names = [index.name if isinstance(index, Letter) else "" for index in indices]
        return named_before if len(named_before) == len(own_names) else own_names
    letters = (inherited.get(index, "") for index in indices)
    return [letter if named else "" for letter, named in zip(letters, is_named, strict=True)]


def _make_sides(formulas: FormulaList, name: str, letters: Sequence[str]) -> Sides:
    sides = [
        Dimension(
            axis.removeprefix("heads·"),
            letter,
            multiplier=formulas.head_count if axis.startswith("heads·") else 1,
            block=_find_block(name) if axis == "memory" else 1,
        )
        for axis, letter in zip(formulas.axes[name][name in formulas.families :], letters, strict=True)
    ]
    if len(sides) == 2:
        return sides[0], sides[1]
    (side,) = sides
    letter, number = _split_number(name)
    adds_up = any(each.name == name and _adds_up(each.right) for each in formulas.formulas)
    own = "" if name in UNNAMED_LINES else "Σ" if adds_up else f"{letter}_{number}" if number else letter
    one = Dimension("one", own or ("b" if name in formulas.given else ""))
    return (one, side) if side.size_name in TOKEN_SIZES else (side, one)


def _find_block(name: str) -> int:
    """Return which block of keys and values a matrix is of; 1 where all come at once."""
    digits = name[len(name.rstrip("0123456789")) :]
    return int(digits or 1)


def _adds_up(right_side: Node) -> bool:
    """Say whether a formula is a sum over a line, with a sink in it or without."""
    return bool(_find_summed(right_side)) or (isinstance(right_side, Over) and right_side.sign == "Σ")


def _split_number(name: str) -> tuple[str, str]:
    """Return the letter of a name that is one letter, and the number behind it; nothing of a longer name.

    >>> _split_number("K2"), _split_number("m"), _split_number("relu1")
    (('K', '2'), ('m', ''), ('', ''))
    """
    letter = name.rstrip("0123456789")
    return (letter, name[1:]) if len(letter) == 1 else ("", "")
