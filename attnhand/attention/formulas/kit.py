"""The parts that mechanisms are put together from, each some lines of formulas; and the five mechanisms.

Source: Vaswani et al., "Attention Is All You Need", 2017, where a part names no other.
"""

from collections.abc import Iterable
from functools import lru_cache

from attnhand.attention.formulas.mechanism import LETTERS, Mechanism, Places
from attnhand.attention.formulas.nodes import HEAD, Formula, Letter, Node, Read, rewrite
from attnhand.attention.formulas.reading import read_formulas
from attnhand.attention.mechanisms import Variant
from attnhand.attention.mechanisms.embedding import list_vocabulary


def project(memory: str = "X") -> str:
    """Queries from X, keys and values from X too, or from a memory; section 3.2.1."""
    return f"""
        queries   Q[r,q] = Σ_f W_Q[r,f]·X[f,q]
        keys      K[r,k] = Σ_f W_K[r,f]·{memory}[f,k]
        values    V[v,k] = Σ_f W_V[v,f]·{memory}[f,k]
    """


SCORE = """
        scores    S[k,q] = Σ_r K[r,k]·Q[r,q]
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


def attend(variant: Variant, *, is_scaled: bool = True) -> str:
    """From scores to weights, with the mask of a form."""
    exponents = "scaled" if is_scaled else "S"
    text = SCALE if is_scaled else ""
    if variant.is_causal:
        text += mask(exponents, has_window=variant.window is not None)
        exponents = "masked"
    return text + share_out(exponents)


def add_heads(text: str, shared: Iterable[str]) -> tuple[Formula, ...]:
    """Give every head matrices of its own, but for the shared ones: Q[r,q] becomes Q[h,r,q]."""
    common = frozenset(shared)

    def change(node: Node) -> Node | None:
        if isinstance(node, Read) and node.matrix not in common:
            return Read(node.matrix, (Letter(HEAD), *node.indices))
        return None

    return tuple(
        Formula(formula.topic, formula.name, (Letter(HEAD), *formula.indices), rewrite(formula.right, change))
        for formula in read_formulas(text)
    )


BASIC_SCORE = """
        scores    S[k,q] = Σ_f X[f,k]·X[f,q]
"""

BASIC_MIX = """
        outputs   Z[f,q] = Σ_k X[f,k]·A[k,q]
"""


def _compose(variant: Variant) -> tuple[Formula, ...]:
    """Put a mechanism together, from the scores to the last stage."""
    match variant.mechanism:
        case "basic":
            # after S. Raschka, lecture "Self-Attention and Scaled Dot-Product Attention", 2021, its first step
            return read_formulas(BASIC_SCORE + attend(variant, is_scaled=False) + BASIC_MIX)
        case "cross":
            return read_formulas(project("M") + SCORE + attend(variant) + MIX)
        case _:
            attention = project() + SCORE + attend(variant) + MIX
    several = variant.mechanism == "multi-head" or variant.head_count > 1
    formulas = (*add_heads(attention, ["X"]), *read_formulas(JOIN)) if several else read_formulas(attention)
    if variant.mechanism == "block":
        formulas += read_formulas(network(*(("output", "f") if several else ("Z", "v"))))
    return formulas


@lru_cache(maxsize=200)
def build_mechanism(variant: Variant) -> Mechanism:
    """Return the formulas of a form."""
    formulas = _compose(variant)
    words = variant.embedded_words
    if words:
        before = embed(has_positions=variant.has_positions, are_given=variant.has_given_positions)
        formulas = (*read_formulas(before), *formulas)
    vocabulary = list_vocabulary(words)
    return Mechanism(
        name=variant.mechanism,
        formulas=formulas,
        letters={**LETTERS, "k": "memory"} if variant.mechanism == "cross" else LETTERS,
        head_count=variant.head_count,
        known={} if variant.window is None else {"window": variant.window},
        lists={"word": Places("vocabulary", tuple(vocabulary.index(word) + 1 for word in words))} if words else {},
    )
