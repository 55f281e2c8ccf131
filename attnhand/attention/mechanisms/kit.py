"""The parts that mechanisms are put together from, each some lines of formulas.

Source: Vaswani et al., "Attention Is All You Need", 2017, where a part names no other.
"""

from collections.abc import Iterable

from attnhand.attention.formulas.formula_list import FormulaList
from attnhand.attention.formulas.nodes import GROUP, HEAD, Formula, Letter, Node, Read, rewrite
from attnhand.attention.formulas.reading import read_formulas

QUERIES = """
        queries   Q[r,q] = Σ_f W_Q[r,f]·X[f,q]
"""


def project_memory(memory: str = "X") -> str:
    """Keys and values from X, or from a memory; section 3.2.1."""
    return f"""
        keys      K[r,k] = Σ_f W_K[r,f]·{memory}[f,k]
        values    V[v,k] = Σ_f W_V[v,f]·{memory}[f,k]
    """


def project(memory: str = "X") -> str:
    """Queries from X, keys and values from X too, or from a memory; section 3.2.1."""
    return QUERIES + project_memory(memory)


SCORE = """
        scores    S[k,q] = Σ_r K[r,k]·Q[r,q]
"""


def turn_by_quarters(name: str, letter: str) -> str:
    """Turn pairs of numbers by a quarter a place: (a, b) → (−b, a) → (−a, −b) → (b, −a).

    Args:
        letter: of its tokens.
    """
    own, after, before = (f"{name}[{place},{letter}]" for place in ("r", "r + 1", "r − 1"))
    place = f"mod({letter}, 4)"
    return f"""
        turned    {name}_turned[r,{letter}] = {own} if {place} = 1 else −{own} if {place} = 3 else \
(−{after} if {place} = 2 else {after}) if odd(r) else ({before} if {place} = 2 else −{before})
    """


def turn_by_radians(name: str, letter: str) -> str:
    """Turn pairs of numbers by an angle a place, as models do: (a, b) → (a·cos − b·sin, a·sin + b·cos).

    J. Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding", 2021, section 3.2.2.

    Args:
        letter: of its tokens.
    """
    own, after, before = (f"{name}[{place},{letter}]" for place in ("r", "r + 1", "r − 1"))
    cos, sin = (f"{function}({letter}, r, |r|)" for function in ("cos", "sin"))
    return f"""
        turned    {name}_turned[r,{letter}] = {own} if {letter} = 1 else \
{cos}·{own} − {sin}·{after} if odd(r) else {sin}·{before} + {cos}·{own}
    """


def turn_queries(*, has_radians: bool) -> str:
    """Queries turned by their places."""
    return turn_by_radians("Q", "q") if has_radians else turn_by_quarters("Q", "q")


def turn_keys(*, has_radians: bool) -> str:
    """Keys turned by their places."""
    return turn_by_radians("K", "k") if has_radians else turn_by_quarters("K", "k")


TURNED_SCORE = """
        scores    S[k,q] = Σ_r K_turned[r,k]·Q_turned[r,q]
"""


SCALE = """
        scaled    scaled[k,q] = scale(S[k,q])
"""


def mask(scores: str, *, has_window: bool) -> str:
    """No query looks at a later token, and with a window at none long before; section 3.2.3.

    Windows after Beltagy, Peters and Cohan, "Longformer", 2020, section 3.1.
    """
    hidden = "k > q or k ≤ q − window" if has_window else "k > q"
    return f"""
        masked    masked[k,q] = −∞ if {hidden} else {scores}[k,q]
    """


def share_out(exponents: str) -> str:
    """Weights that add to 1: the softmax in three steps."""
    return f"""
        powers    powers[k,q] = base^{exponents}[k,q]
        sums      sums[q] = Σ_k powers[k,q]
        weights   A[k,q] = powers[k,q] / sums[q]
    """


MIX = """
        outputs   Z[v,q] = Σ_k V[v,k]·A[k,q]
"""

JOIN = """
        concat    concat[(h,v),q] = Z[h,v,q]
        output    output[f,q] = Σ_(h,v) W_O[f,(h,v)]·concat[(h,v),q]
"""
"""Heads under one another, mixed by W_O; section 3.2.2."""


def network(reads: str, letter: str) -> str:
    """Two layers, each bent, over what attention gave; section 3.3.

    Args:
        letter: that runs over the lines of what it reads.
    """
    return f"""
        layer     F1[n,q] = Σ_{letter} W_1[n,{letter}]·{reads}[{letter},q] + b_1[n]
        relu      relu1[n,q] = max(F1[n,q], 0)
        layer     F2[f,q] = Σ_n W_2[f,n]·relu1[n,q] + b_2[f]
        relu      relu2[f,q] = max(F2[f,q], 0)
    """


def embed(*, has_positions: bool, are_given: bool) -> str:
    """Words looked up in a table; where each stands is added; sections 3.4 and 3.5."""
    if not has_positions:
        return """
        embedded  X[f,q] = embedding[f,word[q]]
    """
    positions = "" if are_given else "positions P[f,q] = position(q, f, |f|)"
    return f"""
        embedded  E[f,q] = embedding[f,word[q]]
        {positions}
        added     X[f,q] = E[f,q] + P[f,q]
    """


def attend(*, is_scaled: bool = True, is_causal: bool = False, has_window: bool = False) -> str:
    """From scores to weights."""
    exponents = "scaled" if is_scaled else "S"
    text = SCALE if is_scaled else ""
    if is_causal:
        text += mask(exponents, has_window=has_window)
        exponents = "masked"
    return text + share_out(exponents)


def add_heads(text: str, shared: Iterable[str], grouped: Iterable[str] = ()) -> tuple[Formula, ...]:
    """Give every head matrices of its own, but for the shared ones: Q[r,q] becomes Q[h,r,q].

    Args:
        shared: what is one for all heads.
        grouped: what several heads have together: S reads K[group[h],r,k].
    """
    of_group = Read("group", (Letter(HEAD),))
    indices = dict.fromkeys(shared, ()) | dict.fromkeys(grouped, (of_group,))

    def change(node: Node) -> Node | None:
        if isinstance(node, Read):
            return Read(node.matrix, (*indices.get(node.matrix, (Letter(HEAD),)), *node.indices))
        return None

    return tuple(
        Formula(formula.topic, formula.name, (Letter(HEAD), *formula.indices), rewrite(formula.right, change))
        for formula in read_formulas(text)
    )


def add_groups(text: str, shared: Iterable[str]) -> tuple[Formula, ...]:
    """Give every group of heads matrices of its own, but for the shared ones: K[r,k] becomes K[g,r,k]."""
    common = frozenset(shared)

    def change(node: Node) -> Node | None:
        if isinstance(node, Read) and node.matrix not in common:
            return Read(node.matrix, (Letter(GROUP), *node.indices))
        return None

    return tuple(
        Formula(formula.topic, formula.name, (Letter(GROUP), *formula.indices), rewrite(formula.right, change))
        for formula in read_formulas(text)
    )


BASIC_SCORE = """
        scores    S[k,q] = Σ_f X[f,k]·X[f,q]
"""

BASIC_MIX = """
        outputs   Z[f,q] = Σ_k X[f,k]·A[k,q]
"""
"""The tokens themselves, compared and mixed.

Source: S. Raschka, lecture "Self-Attention and Scaled Dot-Product Attention", 2021, its first step.
"""

PAGES = ("K K_turned Q Q_turned S scaled masked", "powers sums A Z", "concat output", "F1 relu1 F2 relu2")
"""Which stages stand on a page, those that a form has: through them one query goes down, or across.

V is on none: it is worked beside the product that needs it.
"""

BASIC_PAGES = ("S masked powers sums A Z",)


def arrange_pages(formulas: FormulaList, pages: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """Return the names of the stages page by page; of several heads each has one, for a small one has room there.

    What heads share stands on the page of the first of them.
    """
    names = {formula.name for formula in formulas.formulas}
    by_page = [tuple(name for name in page.split() if name in names) for page in pages]
    arranged: list[tuple[str, ...]] = []
    if HEAD in formulas.families.values():
        heads_pages = [page for page in by_page if any(formulas.families.get(name) == HEAD for name in page)]
        of_heads = [name for page in heads_pages for name in page]
        by_page = [page for page in by_page if page not in heads_pages]
        arranged += [_list_head(formulas, of_heads, head) for head in range(1, formulas.head_count + 1)]
    arranged = [page for page in (*arranged, *by_page) if page]
    if {"E", "X"} <= names:
        return (("E", "X"), *_work_beside(formulas, arranged))
    if "X" in names:
        first, *others = _work_beside(formulas, arranged)
        return (("X", *first), *others)
    return tuple(arranged)


def _list_head(formulas: FormulaList, names: Iterable[str], head: int) -> tuple[str, ...]:
    """Return the stages on the page of a head, and with it those that it is the first to share."""
    listed = []
    for name in names:
        match formulas.families.get(name):
            case None if head == 1:
                listed.append(name)
            case "h":
                listed.append(formulas.list_names(name)[head - 1])
            case "g" if formulas.groups.index(formulas.groups[head - 1]) == head - 1:
                listed.append(formulas.list_names(name)[formulas.groups[head - 1] - 1])
    return tuple(listed)


def _work_beside(formulas: FormulaList, pages: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Put first on each page the stages of its head that read X and are on none.

    V reads X and is on no page: X would be drawn for it once more, and here X is worked, so copied by hand.
    """
    readers = [stage for stage in formulas.stages if "X" in stage.reads]
    known = {name for page in pages for name in page}
    arranged = []
    for page in pages:
        heads = {stage.head for stage in readers if stage.name in page}
        added = tuple(stage.name for stage in readers if stage.name not in known and stage.head in heads)
        known.update(added)
        arranged.append((*added, *page))
    return arranged
