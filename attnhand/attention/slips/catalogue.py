"""All slips, each as a formula: what a student writes who makes that mistake at that stage.

The first word of a line is the slip's id, which reports and answer files use. The names in a formula are those of the
stage's own attention, whatever they are called there (see ``binding``): S the scores, x what is raised, unmasked what
the mask reads; left and right the factors of a product, W X b of one with weights, x what ReLU reads. What the stage
itself should give is own, the condition of the mask hidden(k,q). Of two lines the first counts that has a meaning.
"""

from collections.abc import Mapping
from functools import lru_cache

from attnhand.attention.arithmetic import ScaleRule
from attnhand.attention.mechanisms import Stage
from attnhand.attention.mechanisms.base import Form, Hiding
from attnhand.attention.mechanisms.products import ProductRole
from attnhand.attention.slips.context import StageContext
from attnhand.attention.slips.slip import BIASED, Condition, Need, Slip

FORMULAS: tuple[tuple[tuple[str, ...], str], ...] = (
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
        other-weights              Q[r,q] = Σ_f W_K[r,f]·X[f,q] + b[r]
        other-weights              Q[r,q] = Σ_f W_K[r,f]·X[f,q]
        third-weights              Q[r,q] = Σ_f W_V[r,f]·X[f,q] + b[r]
        third-weights              Q[r,q] = Σ_f W_V[r,f]·X[f,q]
        """,
    ),
    (
        ("keys",),
        """
        other-weights              K[r,k] = Σ_f W_Q[r,f]·X[f,k] + b[r]
        other-weights              K[r,k] = Σ_f W_Q[r,f]·X[f,k]
        third-weights              K[r,k] = Σ_f W_V[r,f]·X[f,k] + b[r]
        third-weights              K[r,k] = Σ_f W_V[r,f]·X[f,k]
        """,
    ),
    (
        ("values",),
        """
        other-weights              V[v,k] = Σ_f W_K[v,f]·X[f,k] + b[v]
        other-weights              V[v,k] = Σ_f W_K[v,f]·X[f,k]
        third-weights              V[v,k] = Σ_f W_Q[v,f]·X[f,k] + b[v]
        third-weights              V[v,k] = Σ_f W_Q[v,f]·X[f,k]
        """,
    ),
    (
        ("projection",),
        """
        weights-of-other-head      Y[o,t] = Σ_i W_next[o,i]·X[i,t] + b[o]
        weights-of-other-head      Y[o,t] = Σ_i W_next[o,i]·X[i,t]
        """,
    ),
    (
        ("projection", "layer"),
        """
        weights-transposed         Y[o,t] = Σ_i W[i,o]·X[i,t] + b[o]
        weights-transposed         Y[o,t] = Σ_i W[i,o]·X[i,t]
        signs-ignored              Y[o,t] = Σ_i abs(W[o,i])·abs(X[i,t]) + abs(b[o])
        signs-ignored              Y[o,t] = Σ_i abs(W[o,i])·abs(X[i,t])
        last-product-forgotten     Y[o,t] = Σ_i (0 if i = |i| else W[o,i]·X[i,t]) + b[o]
        last-product-forgotten     Y[o,t] = Σ_i (0 if i = |i| else W[o,i]·X[i,t])
        first-product-forgotten    Y[o,t] = Σ_i (0 if i = 1 else W[o,i]·X[i,t]) + b[o]
        first-product-forgotten    Y[o,t] = Σ_i (0 if i = 1 else W[o,i]·X[i,t])
        """,
    ),
    (
        ("projection", "mixture", "layer"),
        """
        operands-swapped           Y[i,j] = Σ_t right[i,t]·left[t,j]
        """,
    ),
    (
        tuple(ProductRole),
        """
        elementwise                Y[i,j] = left[i,j]·right[i,j]
        negative-result-zero       Y[i,j] = max(own, 0)
        """,
    ),
    (
        (BIASED,),
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
        last-product-forgotten     S[k,q] = Σ_r (0 if r = |r| else K[r,k]·Q[r,q])
        first-product-forgotten    S[k,q] = Σ_r (0 if r = 1 else K[r,k]·Q[r,q])
        """,
    ),
    (
        ("turned",),
        """
        turn-forgotten             Y[r,t] = x[r,t]
        """,
    ),
    (
        (Form.TURN,),
        """
        turn-other-way             Y[r,t] = own if mod(t + kept, 2) = 1 else −own
        turn-from-one              Y[r,t] = (−own[r + 1,t] if odd(r) else own[r − 1,t])
        """,
    ),
    (
        (Form.ROTATION,),
        """
        turn-other-way             Y[r,t] = cos(t + kept, r, |r|)·x[r,t] + sin(t + kept, r, |r|)·x[r + 1,t] if odd(r) \
else cos(t + kept, r, |r|)·x[r,t] − sin(t + kept, r, |r|)·x[r − 1,t]
        turn-from-one              Y[r,t] = cos(t + kept + 1, r, |r|)·x[r,t] − sin(t + kept + 1, r, |r|)·x[r + 1,t] \
if odd(r) else cos(t + kept + 1, r, |r|)·x[r,t] + sin(t + kept + 1, r, |r|)·x[r − 1,t]
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
        over-d_k-kept              scaled[k,q] = S[k,q] / d_k
        doubled                    scaled[k,q] = divisor·S[k,q]
        sign-dropped               scaled[k,q] = scale(abs(S[k,q]))
        shifted-early              scaled[k,q] = scale(S[k,q] − max_j S[j,q])
        """,
    ),
    (
        ("appended",),
        """
        new-first                  Y[r,k] = new[r,(k)] if k = 1 else kept[r,k − 1]
        query-appended             Y[r,k] = kept[r,(k)] if k < |k| else query[r,k − |k| + 1]
        """,
    ),
    (
        ("biased",),
        """
        distance-forgotten         biased[k,q] = x[k,q]
        distance-added             biased[k,q] = x[k,q] + x[k,q] − own[k,q]
        distance-unsigned          biased[k,q] = x[k,q] − abs(x[k,q] − own[k,q])
        slope-forgotten            biased[k,q] = x[k,q] − (q − k)
        """,
    ),
    (
        ("tempered",),
        """
        temperature-forgotten      tempered[k,q] = untempered[k,q]
        temperature-multiplied     tempered[k,q] = whole(untempered[k,q]·temperature)
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
        mask-turned                masked[k,q] = −∞ if hidden(q,k) else unmasked[k,q]
        """,
    ),
    (
        ("shifted",),
        """
        not-shifted                shifted[k,q] = unshifted[k,q]
        smallest-subtracted        shifted[k,q] = unshifted[k,q] + max_j (−unshifted[j,q])
        largest-of-all             shifted[k,q] = unshifted[k,q] − max_i max_j unshifted[i,j]
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
        sums-other-axis            sums[q] = Σ_j powers[q,j] + nothing
        grand-total-sums           sums[q] = Σ_i Σ_j powers[i,j] + nothing
        hidden-added               sums[q] = Σ_k base^unmasked[k,q] + nothing
        sink-forgotten             sums[q] = Σ_k powers[k,q]
        sink-not-raised            sums[q] = Σ_k powers[k,q] + sink
        """,
    ),
    (
        ("weights",),
        """
        other-axis                 A[k,q] = 0 if powers[k,q] = 0 else powers[k,q] / (Σ_j powers[k,j] + nothing)
        crossed-sums               A[k,q] = powers[k,q] / (Σ_j powers[q,j] + nothing)
        grand-total                A[k,q] = powers[k,q] / (Σ_i Σ_j powers[i,j] + nothing)
        one-sum-for-all            A[k,q] = powers[k,q] / sums[1]
        over-largest               A[k,q] = powers[k,q] / max_j powers[j,q]
        over-count                 A[k,q] = powers[k,q] / |k|
        not-divided                A[k,q] = powers[k,q]
        no-exponential             A[k,q] = (0 if x[k,q] = −∞ else x[k,q]) / Σ_j (0 if x[j,q] = −∞ else x[j,q])
        one-hot                    A[k,q] = (1 if powers[k,q] = max_j powers[j,q] else 0) \
/ Σ_i (1 if powers[i,q] = max_j powers[j,q] else 0)
        rounded-early              A[k,q] = decimals(powers[k,q]) / Σ_j decimals(powers[j,q])
        masked-after               A[k,q] = 0 if hidden(k,q) else base^unmasked[k,q] \
/ (Σ_j base^unmasked[j,q] + nothing)
        sink-forgotten             A[k,q] = powers[k,q] / Σ_j powers[j,q]
        weights-over-temperature   A[k,q] = (powers[k,q] / sums[q]) / temperature
        """,
    ),
    (
        ("kept_weights",),
        """
        not-shared-anew            p_k[k,q] = kept[k,q]
        """,
    ),
    (
        ("loss",),
        """
        log-not-negated            loss[q] = log(Σ_k p[k,q]·y[k,q])
        loss-of-favourite          loss[q] = −log(max_k p[k,q])
        loss-without-log           loss[q] = 1 − Σ_k p[k,q]·y[k,q]
        """,
    ),
    (
        ("gradient",),
        """
        target-less-share          g[k,q] = y[k,q] − p[k,q]
        target-forgotten           g[k,q] = p[k,q]
        """,
    ),
    (
        ("new_rows",),
        """
        step-uphill                W_U_new[i,f] = W_U[moved[i],f] \
+ (rate_top·(Σ_q g[moved[i],q]·z[f,q])) / rate_bottom
        rate-forgotten             W_U_new[i,f] = W_U[moved[i],f] − (Σ_q g[moved[i],q]·z[f,q])
        """,
    ),
    (
        ("new_logits",),
        """
        step-uphill                logits_new[k,q] = nearest(logits[k,q] + (rate_top·zz[q]·g[k,q]) / rate_bottom)
        rate-forgotten             logits_new[k,q] = nearest(logits[k,q] − zz[q]·g[k,q])
        """,
    ),
    (
        ("mixture",),
        """
        weights-A-transposed       Z[v,q] = Σ_k V[v,k]·A[q,k]
        powers-for-weights         Z[v,q] = Σ_k V[v,k]·powers[k,q]
        scores-for-weights         Z[v,q] = Σ_k V[v,k]·S[k,q]
        keys-for-values            Z[v,q] = Σ_k K[v,k]·A[k,q]
        queries-for-values         Z[v,q] = Σ_k Q[v,k]·A[k,q]
        inputs-for-values          Z[f,q] = Σ_k X_V[f,k]·A[k,q]
        top-token-copied           Z[v,q] = (Σ_k (V[v,k] if A[k,q] = max_j A[j,q] else 0)) \
/ Σ_k (1 if A[k,q] = max_j A[j,q] else 0)
        plain-mean                 Z[v,q] = (Σ_k V[v,k]) / |k|
        last-product-forgotten     Z[v,q] = Σ_k (0 if k = |k| else V[v,k]·A[k,q])
        first-product-forgotten    Z[v,q] = Σ_k (0 if k = 1 else V[v,k]·A[k,q])
        """,
    ),
    (
        ("largest_so_far",),
        """
        largest-not-updated        m[q] = before[q]
        """,
    ),
    (
        ("rescaling",),
        """
        factor-turned-round        f[q] = base^(after[q] − before[q])
        """,
    ),
    (
        ("block_powers",),
        """
        not-shifted                powers[k,q] = base^x[k,q]
        """,
    ),
    (
        ("running_sums",),
        """
        factor-forgotten           l[q] = before[q] + Σ_k powers[k,q]
        blocks-before-forgotten    l[q] = Σ_k powers[k,q]
        """,
    ),
    (
        ("running_outputs",),
        """
        factor-forgotten           o[v,q] = before[v,q] + Σ_k V[v,k]·powers[k,q]
        blocks-before-forgotten    o[v,q] = Σ_k V[v,k]·powers[k,q]
        """,
    ),
    (
        ("divided",),
        """
        over-last-block            Z[v,q] = mixed[v,q] / Σ_k powers[k,q]
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
    (
        ("residual",),
        """
        residual-forgotten         R[f,q] = nearest(added[f,q])
        sum-rounded-down           R[f,q] = floor(stream[f,q] + added[f,q])
        """,
    ),
    (
        ("squares",),
        """
        sum-for-mean               Y[q] = Σ_f x[f,q]·x[f,q]
        """,
    ),
    (
        ("root",),
        """
        root-forgotten             Y[q] = x[q]
        """,
    ),
    (
        ("normed",),
        """
        quotient-rounded-down      N[f,q] = floor(x[f,q] / r[q])
        over-largest-number        N[f,q] = nearest(x[f,q] / max_g abs(x[g,q]))
        """,
    ),
    (
        ("gradient_weights",),
        """
        output-for-gradient        dA[k,q] = Σ_v V[v,k]·Z[v,q]
        """,
    ),
    (
        ("gradient_mean",),
        """
        plain-gradient-mean        d[q] = (Σ_k dA[k,q]) / |k|
        """,
    ),
    (
        ("gradient_scores",),
        """
        gradient-mean-forgotten    dS[k,q] = A[k,q]·dA[k,q]
        gradient-weighted-early    dS[k,q] = A[k,q]·dA[k,q] − d[q]
        gradient-turned            dS[k,q] = A[k,q]·(d[q] − dA[k,q])
        """,
    ),
    (
        (Form.SLOPE,),
        """
        gradient-not-scaled        dS_scaled[k,q] = x[k,q]
        gradient-rounded           dS_scaled[k,q] = scale(x[k,q])
        """,
    ),
)
"""By where they happen: topics of stages, or what their products are for. In the order in which they are tried."""


def _rounds_down(at: StageContext) -> bool:
    return at.arithmetic.rules.is_rounded_down


def _is_scaling(at: StageContext) -> bool:
    return at.arithmetic.rules.scale is not ScaleRule.NONE


def _hides_by_places(at: StageContext) -> bool:
    """Say whether a mask hides what comes later, or long before, and nothing else."""
    return {*at.stage.hidings} <= {Hiding.LATER, Hiding.WINDOW}


def _rounds_to_nearest(at: StageContext) -> bool:
    return at.arithmetic.rules.has_whole_stream


def _has_no_bias(at: StageContext) -> bool:
    return "b" not in at.binding.names


def _adds_several(at: StageContext) -> bool:
    return len(at.get_lines("right")) > 1


CONDITIONS: Mapping[str, Condition] = {
    "last-product-forgotten": _adds_several,
    "first-product-forgotten": _adds_several,
    "operands-swapped": _has_no_bias,
    "elementwise": _has_no_bias,
    "not-scaled": _is_scaling,
    "truncated": _rounds_down,
    "rounded-up": _rounds_down,
    "half-kept": _rounds_down,
    "shifted-early": _rounds_down,
    "bankers-rounding": _rounds_down,
    "over-d_k": lambda at: _is_scaling(at) and at.arithmetic.d_k > 1,
    "over-d_k-kept": lambda at: _rounds_down(at) and at.arithmetic.d_k not in (1, at.arithmetic.rules.divisor),
    "doubled": lambda at: at.arithmetic.rules.divisor == 2,  # nobody takes ×4 for ÷4
    "slope-forgotten": lambda at: at.stage.head > 1,
    "other-triangle": _hides_by_places,
    "diagonal-too": _hides_by_places,
    "mask-turned": lambda at: not _hides_by_places(at),
    "gradient-rounded": _rounds_down,
    "window-forgotten": lambda at: "window" in at.binding.known,
    "sum-rounded-down": _rounds_to_nearest,
    "quotient-rounded-down": _rounds_to_nearest,
    "sink-forgotten": lambda at: at.binding.sink is not None,
    "cubed": lambda at: at.arithmetic.rules.base.whole is not None,  # no pencil raises to the power of e
}
"""When a slip can happen by the rules and the form, where its formula does not say so itself."""

NEEDS: Mapping[str, tuple[str, Need]] = {
    "scores-transposed": ("own", Need.ASYMMETRIC),
    "truncated": ("S", Need.NEGATIVE),
    "negative-power-negated": ("x", Need.NEGATIVE),
    "negative-power-zero": ("x", Need.NEGATIVE),
    "unscaled-exponent": ("unscaled", Need.RAISABLE),
    "masked-after": ("unmasked", Need.RAISABLE),
    "hidden-added": ("unmasked", Need.RAISABLE),
    "weights-A-transposed": ("A", Need.ASYMMETRIC),
}
"""What a slip needs of a matrix, named as in its formula."""

OF_ANOTHER_SHAPE = (
    "operands-swapped",
    "elementwise",
    "other-operand-transposed",
    "inputs-for-values",
    "heads-added",
)
"""What comes out in another shape than the stage has; any other slip does not happen where it would."""

VETTED_BY_RECIPE_1: tuple[str, ...] = (
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
"""Slips that every sheet of recipe 1 shows in at least two cells. Never extended: it decides what a seed gives.

They are worked even where they give what is right: it refuses a draw that hides one of them.
"""


PLANTED_BY_RECIPE_1: tuple[str, ...] = (
    "other-weights",
    "weights-transposed",
    "signs-ignored",
    "scores-transposed",
    "not-transposed",
    "not-scaled",
    "truncated",
    "rounded-up",
    "over-d_k",
    "sign-dropped",
    "zero-for-minus-infinity",
    "other-triangle",
    "mask-forgotten",
    "times-not-power",
    "negative-power-negated",
    "negative-power-zero",
    "zero-power-zero",
    "power-of-magnitude",
    "sums-other-axis",
    "other-axis",
    "over-count",
    "one-hot",
    "weights-A-transposed",
    "keys-for-values",
    "next-word",
    "position-forgotten",
    "heads-exchanged",
    "bias-forgotten",
    "relu-forgotten",
    "turn-forgotten",
    "turn-other-way",
    "turn-from-one",
)
"""Slips that a find-the-mistake sheet draws from. Never changed: a sheet on paper must get its key again."""


def _list_slips() -> tuple[Slip, ...]:
    """Return all slips, in the order of the formulas."""
    lines: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for places, text in FORMULAS:
        for line in filter(None, map(str.strip, text.splitlines())):
            lines.setdefault(line.split()[0], []).append((places, line))
    return tuple(
        Slip(
            id=slip_id,
            lines=tuple(found),
            condition=CONDITIONS.get(slip_id),
            need=NEEDS.get(slip_id),
            has_same_shape=slip_id not in OF_ANOTHER_SHAPE,
            applies_when_hidden=slip_id in VETTED_BY_RECIPE_1,
        )
        for slip_id, found in lines.items()
    )


SLIPS = _list_slips()
"""All slips, in the order of the stages."""


@lru_cache(maxsize=1_000)
def find_slips(stage: Stage, ids: tuple[str, ...] | None = None) -> tuple[Slip, ...]:
    """Return the slips that can happen at that stage, among the given ids if any are given."""
    return tuple(slip for slip in SLIPS if (ids is None or slip.id in ids) and slip.applies_to(stage))
