"""How each stage is done wrongly: other formulas at the same place.

The first word of a line is the slip's id, which reports and answer files use. The names in a formula are those of the
stage's own attention, whatever they are called there (see ``binding``): S the scores, x what is raised, unmasked what
the mask reads; left and right the factors of a product, W X b of one with weights, x what ReLU reads. What the stage
itself has on its right is own, the condition of the mask hidden(k,q). Of two lines the first counts that has a meaning.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from attnhand.attention.arithmetic import Rules, ScaleRule
from attnhand.attention.formulas.binding import LAYERS, PRODUCTS, PROJECTIONS
from attnhand.attention.formulas.compiling import Lines
from attnhand.attention.formulas.kinds import list_cells
from attnhand.attention.formulas.nodes import Formula
from attnhand.attention.formulas.reading import read_formulas
from attnhand.attention.numbers import is_finite

SLIPS_BY_TOPIC: tuple[tuple[tuple[str, ...], str], ...] = (
    (
        ("embedded",),
        """
        next-word                  X[f,q] = table[f, 1 if word[q] = |w| else word[q] + 1]
        """,
    ),
    (
        ("positions",),
        """
        positions-from-one         P[f,q] = position(q + 1, f, |f|)
        sines-exchanged            P[f,q] = position(q, f + 1 if odd(f) else f − 1, |f|)
        """,
    ),
    (
        ("added",),
        """
        position-forgotten         X[f,q] = E[f,q]
        multiplied-not-added       X[f,q] = E[f,q]·P[f,q]
        """,
    ),
    (
        ("queries",),
        """
        other-weights              Q[r,q] = Σ_f W_K[r,f]·X[f,q]
        third-weights              Q[r,q] = Σ_f W_V[r,f]·X[f,q]
        """,
    ),
    (
        ("keys",),
        """
        other-weights              K[r,k] = Σ_f W_Q[r,f]·X[f,k]
        third-weights              K[r,k] = Σ_f W_V[r,f]·X[f,k]
        """,
    ),
    (
        ("values",),
        """
        other-weights              V[v,k] = Σ_f W_K[v,f]·X[f,k]
        third-weights              V[v,k] = Σ_f W_Q[v,f]·X[f,k]
        """,
    ),
    (
        PROJECTIONS,
        """
        weights-of-other-head      Y[o,t] = Σ_i W_next[o,i]·X[i,t]
        """,
    ),
    (
        (*PROJECTIONS, *LAYERS),
        """
        weights-transposed         Y[o,t] = Σ_i W[i,o]·X[i,t] + b[o]
        weights-transposed         Y[o,t] = Σ_i W[i,o]·X[i,t]
        signs-ignored              Y[o,t] = Σ_i abs(W[o,i])·abs(X[i,t]) + abs(b[o])
        signs-ignored              Y[o,t] = Σ_i abs(W[o,i])·abs(X[i,t])
        last-product-forgotten     Y[o,t] = Σ_i (0 if i = |i| else W[o,i]·X[i,t]) + b[o]
        last-product-forgotten     Y[o,t] = Σ_i (0 if i = |i| else W[o,i]·X[i,t])
        """,
    ),
    (
        (*PROJECTIONS, "outputs", *LAYERS),
        """
        operands-swapped           Y[i,j] = Σ_t right[i,t]·left[t,j]
        """,
    ),
    (
        PRODUCTS,
        """
        elementwise                Y[i,j] = left[i,j]·right[i,j]
        negative-result-zero       Y[i,j] = max(own, 0)
        """,
    ),
    (
        LAYERS,
        """
        bias-forgotten             Y[o,t] = Σ_i W[o,i]·X[i,t]
        bias-other-axis            Y[o,t] = Σ_i W[o,i]·X[i,t] + b[t]
        """,
    ),
    (
        ("scores",),
        """
        scores-transposed          S[k,q] = Σ_r K[r,q]·Q[r,k]
        other-operand-transposed   S[i,j] = Σ_k K[i,k]·Q[j,k]
        not-transposed             S[k,q] = Σ_r K[k,r]·Q[r,q]
        values-for-queries         S[k,q] = Σ_r K[r,k]·V[r,q]
        values-for-keys            S[k,q] = Σ_r V[r,k]·Q[r,q]
        queries-with-themselves    S[k,q] = Σ_r Q[r,k]·Q[r,q]
        keys-with-themselves       S[k,q] = Σ_r K[r,k]·K[r,q]
        projections-skipped        S[k,q] = Σ_f X_K[f,k]·X_Q[f,q]
        """,
    ),
    (
        ("scaled",),
        """
        not-scaled                 scaled[k,q] = S[k,q]
        truncated                  scaled[k,q] = trunc(S[k,q] / divisor)
        rounded-up                 scaled[k,q] = ceil(S[k,q] / divisor)
        half-kept                  scaled[k,q] = S[k,q] / divisor
        bankers-rounding           scaled[k,q] = round(S[k,q] / divisor)
        over-d_k                   scaled[k,q] = settle(S[k,q] / d_k)
        doubled                    scaled[k,q] = divisor·S[k,q]
        sign-dropped               scaled[k,q] = scale(abs(S[k,q]))
        """,
    ),
    (
        ("masked",),
        """
        zero-for-minus-infinity    masked[k,q] = 0 if hidden(k,q) else unmasked[k,q]
        other-triangle             masked[k,q] = −∞ if hidden(q,k) else unmasked[k,q]
        diagonal-too               masked[k,q] = −∞ if hidden(k,q) or k = q else unmasked[k,q]
        mask-forgotten             masked[k,q] = unmasked[k,q]
        window-forgotten           masked[k,q] = −∞ if k > q else unmasked[k,q]
        window-too-wide            masked[k,q] = −∞ if k > q or k ≤ q − window − 1 else unmasked[k,q]
        """,
    ),
    (
        ("powers",),
        """
        times-not-power            powers[k,q] = 0 if x[k,q] = −∞ else base·x[k,q]
        negative-power-negated     powers[k,q] = −base^(−x[k,q]) if x[k,q] < 0 and x[k,q] ≠ −∞ else base^x[k,q]
        negative-power-zero        powers[k,q] = 0 if x[k,q] < 0 else base^x[k,q]
        negative-power-times       powers[k,q] = base·x[k,q] if x[k,q] < 0 and x[k,q] ≠ −∞ else base^x[k,q]
        negative-power-over-product  powers[k,q] = 1 / (−base·x[k,q]) if x[k,q] < 0 and x[k,q] ≠ −∞ else base^x[k,q]
        cubed                      powers[k,q] = 0 if x[k,q] = −∞ else x[k,q]^base
        zero-power-zero            powers[k,q] = 0 if x[k,q] = 0 else base^x[k,q]
        zero-power-base            powers[k,q] = base if x[k,q] = 0 else base^x[k,q]
        power-of-magnitude         powers[k,q] = 0 if x[k,q] = −∞ else base^abs(x[k,q])
        unscaled-exponent          powers[k,q] = 0 if x[k,q] = −∞ else base^unscaled[k,q]
        base-two                   powers[k,q] = 2^x[k,q]
        base-e                     powers[k,q] = e^x[k,q]
        """,
    ),
    (
        ("sums",),
        """
        sums-other-axis            sums[q] = Σ_j powers[q,j]
        grand-total-sums           sums[q] = Σ_i Σ_j powers[i,j]
        """,
    ),
    (
        ("weights",),
        """
        other-axis                 A[k,q] = powers[k,q] / Σ_j powers[k,j]
        crossed-sums               A[k,q] = powers[k,q] / Σ_j powers[q,j]
        grand-total                A[k,q] = powers[k,q] / Σ_i Σ_j powers[i,j]
        one-sum-for-all            A[k,q] = powers[k,q] / sums[1]
        over-largest               A[k,q] = powers[k,q] / max_j powers[j,q]
        over-count                 A[k,q] = powers[k,q] / |k|
        not-divided                A[k,q] = powers[k,q]
        no-exponential             A[k,q] = (0 if x[k,q] = −∞ else x[k,q]) / Σ_j (0 if x[j,q] = −∞ else x[j,q])
        one-hot                    A[k,q] = (1 if powers[k,q] = max_j powers[j,q] else 0) \
/ Σ_i (1 if powers[i,q] = max_j powers[j,q] else 0)
        rounded-early              A[k,q] = decimals(powers[k,q]) / Σ_j decimals(powers[j,q])
        masked-after               A[k,q] = 0 if hidden(k,q) else base^unmasked[k,q] / Σ_j base^unmasked[j,q]
        """,
    ),
    (
        ("outputs",),
        """
        weights-A-transposed       Z[v,q] = Σ_k V[v,k]·A[q,k]
        powers-for-weights         Z[v,q] = Σ_k V[v,k]·powers[k,q]
        scores-for-weights         Z[v,q] = Σ_k V[v,k]·S[k,q]
        keys-for-values            Z[v,q] = Σ_k K[v,k]·A[k,q]
        queries-for-values         Z[v,q] = Σ_k Q[v,k]·A[k,q]
        inputs-for-values          Z[f,q] = Σ_k X_V[f,k]·A[k,q]
        top-token-copied           Z[v,q] = (Σ_k (V[v,k] if A[k,q] = max_j A[j,q] else 0)) \
/ Σ_k (1 if A[k,q] = max_j A[j,q] else 0)
        """,
    ),
    (
        ("concat",),
        """
        heads-exchanged            concat[(h,v),q] = Z[|h| + 1 − h,v,q]
        heads-interleaved          concat[(v,h),q] = Z[h,v,q]
        heads-added                concat[v,q] = Σ_h Z[h,v,q]
        """,
    ),
    (
        ("relu",),
        """
        relu-forgotten             Y[n,q] = x[n,q]
        relu-of-magnitude          Y[n,q] = abs(x[n,q])
        relu-other-side            Y[n,q] = min(x[n,q], 0)
        """,
    ),
)
"""By topics of the stages where they happen."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What decides whether a slip can happen at a stage, beside what its formula reads."""

    rules: Rules
    d_k: int
    has_window: bool
    """Whether the mask has a window."""

    matrices: Mapping[str, Lines]
    """What the stage has before it, by the names that slips use; its own result as ``own``."""


Condition = Callable[[Circumstances], bool]


def _rounds_down(at: Circumstances) -> bool:
    return at.rules.is_rounded_down


def _is_scaling(at: Circumstances) -> bool:
    return at.rules.scale is not ScaleRule.NONE


def _halves(at: Circumstances) -> bool:
    """Nobody takes ×4 for ÷4."""
    return at.rules.divisor == 2


def _has_window(at: Circumstances) -> bool:
    return at.has_window


def _has_no_bias(at: Circumstances) -> bool:
    return "b" not in at.matrices


def _has_bias(at: Circumstances) -> bool:
    return "b" in at.matrices


def _is_asymmetric(name: str) -> Condition:
    def differs(at: Circumstances) -> bool:
        lines = at.matrices[name]
        return len(lines) == len(lines[0]) and lines != tuple(zip(*lines, strict=True))

    return differs


def _has_negative(name: str) -> Condition:
    def is_there(at: Circumstances) -> bool:
        return any(value < 0 and is_finite(value) for value in list_cells(at.matrices[name]))

    return is_there


CONDITIONS: Mapping[str, tuple[Condition, ...]] = {
    "operands-swapped": (_has_no_bias,),
    "elementwise": (_has_no_bias,),
    "bias-forgotten": (_has_bias,),
    "last-product-forgotten": (lambda at: len(at.matrices["X"]) > 1,),
    "scores-transposed": (_is_asymmetric("own"),),
    "not-scaled": (_is_scaling,),
    "truncated": (_rounds_down, _has_negative("S")),
    "rounded-up": (_rounds_down,),
    "half-kept": (_rounds_down,),
    "bankers-rounding": (_rounds_down,),
    "over-d_k": (_is_scaling, lambda at: at.d_k > 1),
    "doubled": (_halves,),
    "window-forgotten": (_has_window,),
    "negative-power-negated": (_has_negative("x"),),
    "negative-power-zero": (_has_negative("x"),),
    "cubed": (lambda at: at.rules.base.whole is not None,),
    "weights-A-transposed": (_is_asymmetric("A"),),
}
"""When a slip can happen, where its formula does not say so itself."""

OF_ANOTHER_SHAPE = frozenset(
    ("operands-swapped", "elementwise", "other-operand-transposed", "inputs-for-values", "heads-added")
)
"""What comes out in another shape than the stage has; any other slip does not happen where it would."""

TOLD_WHEN_HIDDEN = frozenset(
    (
        "scores-transposed",
        "not-scaled",
        "truncated",
        "rounded-up",
        "times-not-power",
        "negative-power-negated",
        "negative-power-zero",
        "other-axis",
        "weights-A-transposed",
    )
)
"""Slips that are worked even where they give what is right: recipe 1 refuses a draw that hides one. Never extended."""


@dataclass(frozen=True, slots=True)
class Slip:
    """One mistake at the stages of a topic."""

    id: str
    """The name used in reports and answer files."""

    formulas: tuple[Formula, ...]
    """The first that has a meaning at a stage."""

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """When it can happen."""
        return CONDITIONS.get(self.id, ())


@lru_cache(maxsize=100)
def list_slips(topic: str) -> tuple[Slip, ...]:
    """Return the slips that can happen at the stages of a topic."""
    found: dict[str, tuple[Formula, ...]] = {}
    for topics, text in SLIPS_BY_TOPIC:
        if topic in topics:
            for formula in read_formulas(text):
                found[formula.topic] = (*found.get(formula.topic, ()), formula)
    return tuple(Slip(*each) for each in found.items())
