"""The parts that mechanisms are put together from, each some lines of formulas.

Source: Vaswani et al., "Attention Is All You Need", 2017, where a part names no other.
"""

from collections.abc import Iterable

from attnhand.attention.formulas.formula_list import FormulaList
from attnhand.attention.formulas.nodes import GROUP, HEAD, Formula, Letter, Node, Read, list_reads, rewrite
from attnhand.attention.formulas.reading import read_formulas


def project_queries(*, has_biases: bool = False) -> str:
    """Queries from X; section 3.2.1."""
    bias = " + b_Q[r]" if has_biases else ""
    return f"""
        queries   Q[r,q] = Σ_f W_Q[r,f]·X[f,q]{bias}
    """


def project_memory(memory: str = "X", *, has_biases: bool = False) -> str:
    """Keys and values from X, or from a memory; section 3.2.1."""
    for_keys, for_values = (" + b_K[r]", " + b_V[v]") if has_biases else ("", "")
    return f"""
        keys      K[r,k] = Σ_f W_K[r,f]·{memory}[f,k]{for_keys}
        values    V[v,k] = Σ_f W_V[v,f]·{memory}[f,k]{for_values}
    """


def project(memory: str = "X", *, has_biases: bool = False) -> str:
    """Queries from X, keys and values from X too, or from a memory; section 3.2.1."""
    return project_queries(has_biases=has_biases) + project_memory(memory, has_biases=has_biases)


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


HIDES_LATER, HIDES_LONG_BEFORE, HIDES_AS_GIVEN = "k > q", "k ≤ q − window", "mask[k,q] = 0"
"""Which keys a mask hides from a query: later tokens (section 3.2.3), those long before, and what a given mask says.

Windows after Beltagy, Peters and Cohan, "Longformer", 2020, section 3.1.
"""


def hide_key(key: int) -> str:
    """Hide one key, counted from 1, from every query: padding."""
    return f"k = {key}"


def mask(scores: str, hidden: Iterable[str]) -> str:
    """No query looks at what any of these conditions hides."""
    return f"""
        masked    masked[k,q] = −∞ if {" or ".join(hidden)} else {scores}[k,q]
    """


def shift(scores: str) -> str:
    """Scores less the largest of their query: the same shares, and no power above 1.

    I. Goodfellow, Y. Bengio and A. Courville, "Deep Learning", 2016, section 4.1.
    """
    return f"""
        shifted   shifted[k,q] = {scores}[k,q] − max_j {scores}[j,q]
    """


def share_out(exponents: str, *, is_plain: bool = False) -> str:
    """Weights that add to 1: the softmax in three steps, or each score over the sum of the scores as it is."""
    parts = exponents if is_plain else "powers"
    powers = "" if is_plain else f"powers    powers[k,q] = base^{exponents}[k,q]"
    return f"""
        {powers}
        sums      sums[q] = Σ_k {parts}[k,q]
        weights   A[k,q] = {parts}[k,q] / sums[q]
    """


MIX = """
        outputs   Z[v,q] = Σ_k V[v,k]·A[k,q]
"""


def pass_back(*, is_scaled: bool) -> str:
    """From the gradient g of a loss by the outputs to those by queries, keys and values.

    d is the mean of dA by the weights, and dS the gradient by what the softmax shares out. A base other than e would
    bring its logarithm in, which counts as 1 by hand; the slope of ⌊x/2⌋ counts as ½.

    D. Rumelhart, G. Hinton and R. Williams, "Learning representations by back-propagating errors", 1986; the softmax as
    in I. Goodfellow, Y. Bengio and A. Courville, "Deep Learning", 2016, section 6.2.2.3; d as in T. Dao et al.,
    "FlashAttention", 2022, appendix B.
    """
    by_scores = "dS_scaled" if is_scaled else "dS"
    scaling = "gradient_scaled   dS_scaled[k,q] = slope(dS[k,q])" if is_scaled else ""
    return f"""
        gradient_weights  dA[k,q] = Σ_v V[v,k]·g[v,q]
        gradient_mean     d[q] = Σ_k A[k,q]·dA[k,q]
        gradient_scores   dS[k,q] = A[k,q]·(dA[k,q] − d[q])
        {scaling}
        gradient_queries  dq[r,q] = Σ_k K[r,k]·{by_scores}[k,q]
        gradient_keys     dK[r,k] = Σ_q Q[r,q]·{by_scores}[k,q]
        gradient_values   dV[v,k] = Σ_q g[v,q]·A[k,q]
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


def attend(
    *, is_scaled: bool = True, hidden: Iterable[str] = (), is_shifted: bool = False, is_plain: bool = False
) -> str:
    """From scores to weights.

    Args:
        hidden: conditions under which a key is hidden from a query.
        is_shifted: whether the largest is subtracted first.
        is_plain: whether scores are shared out as they are, and not their powers.
    """
    exponents = "scaled" if is_scaled else "S"
    text = SCALE if is_scaled else ""
    if conditions := tuple(hidden):
        text += mask(exponents, conditions)
        exponents = "masked"
    if is_shifted:
        text += shift(exponents)
        exponents = "shifted"
    return text + share_out(exponents, is_plain=is_plain)


def begin_with(formulas: Iterable[Formula], given: Iterable[str], end: str = "") -> tuple[Formula, ...]:
    """Return what is left of a list of formulas where some matrices are given that they would work.

    What nobody needs any more is left out: the rest ends as before, or with the formula of that name. It may end in
    several: all that no other formula reads.
    """
    listed, known = [*formulas], {*given}
    read_before = {read.matrix for formula in listed for read in list_reads(formula.right)}
    needed = {end} if end else {formula.name for formula in listed} - read_before
    kept = []
    for formula in reversed(listed):
        if formula.name in needed - known:
            needed.update(read.matrix for read in list_reads(formula.right))
            kept.append(formula)
    return tuple(reversed(kept))


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

PAGES = ("K K_turned Q Q_turned S scaled masked shifted", "powers sums A Z", "concat output", "F1 relu1 F2 relu2")
"""Which stages stand on a page, those that a form has: through them one query goes down, or across.

V is on none: it is worked beside the product that needs it.
"""

BASIC_PAGES = ("S masked shifted powers sums A Z",)

BACKWARD_PAGES = ("S scaled masked shifted powers sums A Z", "dA d dS dS_scaled dq", "dK", "dV")
"""Forward, then back; what is made of a query and a gradient goes down for no query."""


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
