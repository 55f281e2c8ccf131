"""The parts that mechanisms are put together from, each some lines of formulas.

Source: Vaswani et al., "Attention Is All You Need", 2017, where a part names no other.
"""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from attnhand.attention.formulas.formula_list import FormulaList
from attnhand.attention.formulas.nodes import GROUP, HEAD, Formula, Known, Letter, Node, Read, list_reads, rewrite
from attnhand.attention.formulas.reading import read_formulas


def project_queries(*, has_biases: bool = False) -> str:
    """Queries from X; section 3.2.1."""
    bias = " + b_Q[r]" if has_biases else ""
    return f"""
        queries   Q[r,q] = Σ_f W_Q[r,f]·X[f,q]{bias}
    """


def project_memory(memory: str = "X", *, has_biases: bool = False, letter: str = "k") -> str:
    """Keys and values from X, or from a memory; section 3.2.1.

    Args:
        letter: of its tokens.
    """
    for_keys, for_values = (" + b_K[r]", " + b_V[v]") if has_biases else ("", "")
    return f"""
        keys      K[r,{letter}] = Σ_f W_K[r,f]·{memory}[f,{letter}]{for_keys}
        values    V[v,{letter}] = Σ_f W_V[v,f]·{memory}[f,{letter}]{for_values}
    """


def project(memory: str = "X", *, has_biases: bool = False) -> str:
    """Queries from X, keys and values from X too, or from a memory; section 3.2.1."""
    return project_queries(has_biases=has_biases) + project_memory(memory, has_biases=has_biases)


def append(name: str, row: str, new: str) -> str:
    """Keys, or values, of the tokens before, which are kept, and behind them that of the new one: a KV cache.

    N. Shazeer, "Fast Transformer Decoding: One Write-Head is All You Need", 2019, section 2.4; R. Pope et al.,
    "Efficiently Scaling Transformer Inference", 2022.

    Args:
        row: the letter of its rows.
        new: the matrix of the new token.
    """
    return f"""
        appended  {name}_all[{row},k] = {name}_cache[{row},(k)] if k ≤ kept else {new}[{row},k − kept]
    """


def score(keys: str, queries: str) -> str:
    """Every key against every query; section 3.2.1."""
    return f"""
        scores    S[k,q] = Σ_r {keys}[r,k]·{queries}[r,q]
    """


SCORE = score("K", "Q")
"""The same of keys and queries as they are projected."""


def turn_by_quarters(name: str, letter: str, place: str) -> str:
    """Turn pairs of numbers by a quarter a place: (a, b) → (−b, a) → (−a, −b) → (b, −a).

    Args:
        letter: of its tokens.
        place: where its tokens stand, in that letter.
    """
    own, after, before = (f"{name}[{row},{letter}]" for row in ("r", "r + 1", "r − 1"))
    place = f"mod({place}, 4)"
    return f"""
        turned    {name}_turned[r,{letter}] = {own} if {place} = 1 else −{own} if {place} = 3 else \
(−{after} if {place} = 2 else {after}) if odd(r) else ({before} if {place} = 2 else −{before})
    """


def turn_by_radians(name: str, letter: str, place: str) -> str:
    """Turn pairs of numbers by an angle a place, as models do: (a, b) → (a·cos − b·sin, a·sin + b·cos).

    J. Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding", 2021, section 3.2.2.

    Args:
        letter: of its tokens.
        place: where its tokens stand, in that letter.
    """
    own, after, before = (f"{name}[{row},{letter}]" for row in ("r", "r + 1", "r − 1"))
    cos, sin = (f"{function}({place}, r, |r|)" for function in ("cos", "sin"))
    return f"""
        turned    {name}_turned[r,{letter}] = {own} if {place} = 1 else \
{cos}·{own} − {sin}·{after} if odd(r) else {sin}·{before} + {cos}·{own}
    """


def turn(name: str, letter: str, *, has_radians: bool, are_kept: bool = False) -> str:
    """Queries, or keys, turned by their places.

    Args:
        are_kept: whether there are tokens before, in a cache.
    """
    place = f"{letter} + kept" if are_kept else letter
    return turn_by_radians(name, letter, place) if has_radians else turn_by_quarters(name, letter, place)


SCALE = """
        scaled    scaled[k,q] = scale(S[k,q])
"""


def temper(scores: str, temperature: Fraction) -> str:
    """Scores divided by a temperature: below 1 the shares get sharper, above 1 flatter.

    By hand what comes out is rounded down, where the base is raised to whole numbers alone; twice a score is whole.

    G. Hinton, O. Vinyals and J. Dean, "Distilling the Knowledge in a Neural Network", 2015, section 2.

    Args:
        scores: any that a softmax is taken of, with their letters: "scaled[k,q]".
    """
    divided = scores if temperature.denominator == 1 else f"{temperature.denominator}·{scores}"
    return divided if temperature.numerator == 1 else f"whole({divided} / {temperature.numerator})"


def temper_scores(scores: str, temperature: Fraction) -> str:
    """Every key's score for every query, divided by a temperature."""
    return f"""
        tempered  tempered[k,q] = {temper(f"{scores}[k,q]", temperature)}
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


def lose_by_distance(scores: str, *, has_slope: bool, are_kept: bool = False) -> str:
    """Scores lose as much as their key is far from the query: a whole slope by hand, for each head another.

    O. Press, N. A. Smith and M. Lewis, "Train Short, Test Long: Attention with Linear Biases", 2022, section 3; there
    the slopes are fractions.

    Args:
        has_slope: whether the distance is multiplied by one; in head h it is h, see ``add_heads``.
        are_kept: whether there are tokens before the query's, in a cache.
    """
    factor, place = "slope·" if has_slope else "", "q + kept" if are_kept else "q"
    return f"""
        biased    biased[k,q] = {scores}[k,q] − {factor}({place} − k)
    """


def shift(scores: str) -> str:
    """Scores less the largest of their query: the same shares, and no power above 1.

    I. Goodfellow, Y. Bengio and A. Courville, "Deep Learning", 2016, section 4.1.
    """
    return f"""
        shifted   shifted[k,q] = {scores}[k,q] − max_j {scores}[j,q]
    """


def share_out(exponents: str, *, is_plain: bool = False, sink: int | None = None, weights: str = "A") -> str:
    """Weights that add to 1: the softmax in three steps, or each score over the sum of the scores as it is.

    With a sink they add to less, and a query may look at nothing: OpenAI, "gpt-oss-120b & gpt-oss-20b Model Card",
    2025, where each head has learned one; with a sink of 0, E. Miller, "Attention Is Off By One", 2023.

    Args:
        sink: a score that no key has; None for none.
        weights: what they are called.
    """
    parts = exponents if is_plain else "powers"
    powers = "" if is_plain else f"powers    powers[k,q] = base^{exponents}[k,q]"
    nothing = "" if sink is None else f" + base^{f'(−{-sink})' if sink < 0 else sink}"
    return f"""
        {powers}
        sums      sums[q] = Σ_k {parts}[k,q]{nothing}
        weights   {weights}[k,q] = {parts}[k,q] / sums[q]
    """


def mix(values: str = "V") -> str:
    """Values, mixed by their weights; section 3.2.1."""
    return f"""
        outputs   Z[v,q] = Σ_k {values}[v,k]·A[k,q]
    """


MIX = mix()
"""The same of values as they are projected."""


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

RETURN = """
        output    output[f,q] = Σ_v W_O[f,v]·Z[v,q]
"""
"""One head's outputs as long as tokens again, so that they can be added to them; section 3.2.2, for h = 1."""


def network(reads: str, letter: str, *, has_second_relu: bool = False) -> str:
    """Two layers over what attention gave, bent between them; section 3.3.

    Args:
        letter: that runs over the lines of what it reads.
        has_second_relu: whether the second layer is bent too, as in T. Yeh's spreadsheet "Transformer", 2023.
    """
    bent = "relu      relu2[f,q] = max(F2[f,q], 0)" if has_second_relu else ""
    return f"""
        layer     F1[n,q] = Σ_{letter} W_1[n,{letter}]·{reads}[{letter},q] + b_1[n]
        relu      relu1[n,q] = max(F1[n,q], 0)
        layer     F2[f,q] = Σ_n W_2[f,n]·relu1[n,q] + b_2[f]
        {bent}
    """


def add_residual(number: int, stream: str, given: str) -> str:
    """What a sublayer reads is added to what it gives, to the nearest whole number by hand.

    K. He et al., "Deep Residual Learning for Image Recognition", 2016, section 3.1.

    Args:
        number: of the sublayer.
    """
    return f"""
        residual  R{number}[f,q] = nearest({stream}[f,q] + {given}[f,q])
    """


def normalise(number: int, reads: str, letter: str = "f") -> str:
    """Every token over the root of the mean of its squares; no gain, and nothing added to the mean.

    B. Zhang and R. Sennrich, "Root Mean Square Layer Normalization", 2019, section 4.

    Args:
        number: of the sublayer.
        letter: that runs over the lines of what it reads.
    """
    value = f"{reads}[{letter},q]"
    return f"""
        squares   squares{number}[q] = (Σ_{letter} {value}·{value}) / |{letter}|
        root      r{number}[q] = root(squares{number}[q])
        normed    N{number}[{letter},q] = nearest({value} / r{number}[q])
    """


def read_instead(formulas: Iterable[Formula], name: str, other: str) -> tuple[Formula, ...]:
    """Return formulas that read one matrix where they read another."""

    def change(node: Node) -> Node | None:
        return Read(other, node.indices) if isinstance(node, Read) and node.matrix == name else None

    return tuple(replace(formula, right=rewrite(formula.right, change)) for formula in formulas)


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
    *,
    is_scaled: bool = True,
    scores: str = "S",
    has_distances: bool = False,
    has_slope: bool = False,
    are_kept: bool = False,
    temperature: Fraction | None = None,
    hidden: Iterable[str] = (),
    is_shifted: bool = False,
    is_plain: bool = False,
    sink: int | None = None,
    weights: str = "A",
) -> str:
    """From scores to weights.

    Args:
        has_distances: whether scores lose by the distance of their key, with a slope or by 1.
        are_kept: whether there are tokens before the query's, in a cache.
        temperature: by what they are divided then; None for 1.
        hidden: conditions under which a key is hidden from a query.
        is_shifted: whether the largest is subtracted first.
        is_plain: whether scores are shared out as they are, and not their powers.
        sink: a score that no key has; None for none.
    """
    exponents = "scaled" if is_scaled else scores
    text = SCALE if is_scaled else ""
    if has_distances:
        text += lose_by_distance(exponents, has_slope=has_slope, are_kept=are_kept)
        exponents = "biased"
    if temperature is not None:
        text += temper_scores(exponents, temperature)
        exponents = "tempered"
    if conditions := tuple(hidden):
        text += mask(exponents, conditions)
        exponents = "masked"
    if is_shifted:
        text += shift(exponents)
        exponents = "shifted"
    return text + share_out(exponents, is_plain=is_plain, sink=sink, weights=weights)


def begin_with(formulas: Iterable[Formula], given: Iterable[str], end: str = "") -> tuple[Formula, ...]:
    """Return what is left of a list of formulas where some matrices are given that they would work.

    What nobody needs any more is left out: the rest ends as before, or with the formula of that name. It may end in
    several: all that no other formula reads.
    """
    listed, known = [*formulas], {*given}
    read_on = {read.matrix for formula in listed for read in list_reads(formula.right)}
    needed = {end} if end else {formula.name for formula in listed} - read_on
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

    The slope of distances is the number of the head.
    """
    of_group = Read("group", (Letter(HEAD),))
    indices = dict.fromkeys(shared, ()) | dict.fromkeys(grouped, (of_group,))

    def change(node: Node) -> Node | None:
        if isinstance(node, Read):
            return Read(node.matrix, (*indices.get(node.matrix, (Letter(HEAD),)), *node.indices))
        return Letter(HEAD) if node == Known("slope") else None

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

READ_OUT = """
        logits    logits[k,q] = Σ_f W_U[k,f]·z[f,q]
"""
"""How well what a model made of the last token fits each word of its vocabulary, k: the unembedding.

A. Radford et al., "Language Models are Unsupervised Multitask Learners" (GPT-2), 2019.
"""


READ_OUT_OF_BLOCK = """
        logits    logits[w,q] = Σ_f W_U[w,f]·N3[f,q]
"""
"""The same of every token that a block has worked, once it is normalised."""


def keep_likeliest(count: int) -> str:
    """Only so many words may be drawn: what they have is shared out anew.

    A. Fan, M. Lewis and Y. Dauphin, "Hierarchical Neural Story Generation", 2018, section 5.
    """
    return f"""
        kept      kept[k,q] = p[k,q]·step({count} − Σ_j step(p[j,q] − p[k,q]))
        kept_sums  sums_k[q] = Σ_k kept[k,q]
        kept_weights  p_k[k,q] = kept[k,q] / sums_k[q]
    """


LEARN = """
        loss      loss[q] = −log(Σ_k p[k,q]·y[k,q])
        gradient  g[k,q] = p[k,q] − y[k,q]
"""
"""How surprised the model is at the word that came, which y says, and what of each logit made it so.

I. Goodfellow, Y. Bengio and A. Courville, "Deep Learning", 2016, section 6.2.2: the gradient of the cross-entropy.
"""


def step(rate: Fraction, reads: str) -> str:
    """One step of learning: W_U less a rate times its gradient, g zᵀ, and what the model says then.

    Of W_U two rows are worked, which ``moved`` lists: that of the word that came, and that of the word that loses most.
    All logits change by the rate times z·z times g, which by hand is rounded to whole numbers.

    I. Goodfellow, Y. Bengio and A. Courville, "Deep Learning", 2016, sections 5.9 and 6.2.1: a step of stochastic
    gradient descent.

    Args:
        reads: what W_U reads out.
    """
    z = f"{reads}[f,q]"
    by = "" if rate.numerator == 1 else f"{rate.numerator}·"
    over = "" if rate.denominator == 1 else f" / {rate.denominator}"
    return f"""
        squared_length  zz[q] = Σ_f {z}·{z}
        new_rows        W_U_new[i,f] = W_U[moved[i],f] − ({by}(Σ_q g[moved[i],q]·{z})){over}
        new_logits      logits_new[k,q] = nearest(logits[k,q] − ({by}zz[q]·g[k,q]){over})
        new_powers      powers_new[k,q] = base^logits_new[k,q]
        new_sums        sums_new[q] = Σ_k powers_new[k,q]
        new_shares      p_new[k,q] = powers_new[k,q] / sums_new[q]
        new_loss        loss_new[q] = −log(Σ_k p_new[k,q]·y[k,q])
    """


HEAD_PAGES = ("K K_turned Q Q_turned S scaled biased tempered masked shifted", "powers sums A Z")

PAGES = (
    *HEAD_PAGES,
    "concat output R1 squares1 r1 N1",
    "F1 relu1 F2 relu2 R2 squares2 r2 N2",
)
"""Which stages stand on a page, those that a form has: through them one query goes down, or across.

V is on none: it is worked beside the product that needs it.
"""

PRE_NORM_PAGES = (
    "squares1 r1 N1",
    *HEAD_PAGES,
    "concat output R1 squares2 r2 N2",
    "F1 relu1 F2 relu2 R2",
    "squares3 r3 N3 logits",
)
"""The same where tokens are normalised before each layer."""

CACHE_PAGES = {
    HEAD_PAGES[0]: "K K_turned K_all Q Q_turned S scaled biased tempered masked shifted",
    HEAD_PAGES[1]: "powers sums A V V_all Z",
}
"""What becomes of them in a step with a cache: what is appended stands where it is read."""

BASIC_PAGES = ("S biased tempered masked shifted powers sums A Z",)


def stream_blocks(count: int, *, is_scaled: bool = True) -> str:
    """Attention over keys that come block by block, never all scores at once: the online softmax.

    Beside the outputs so far stand the largest score so far and the sum of the powers so far, all less that largest;
    where a block has a larger one, both are multiplied by what that changes. Divided by the sum at the end they are
    the outputs of ordinary attention.

    M. Milakov and N. Gimelshein, "Online normalizer calculation for softmax", 2018, section 3; T. Dao et al.,
    "FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness", 2022, section 3.1; the division at
    the end as in T. Dao, "FlashAttention-2", 2023, section 3.1.
    """
    text = ""
    for block in range(1, count + 1):
        scores = f"scaled{block}" if is_scaled else f"S{block}"
        largest, powers = f"max_k {scores}[k,q]", f"powers{block}"
        total, mixture = f"Σ_k {powers}[k,q]", f"Σ_k V{block}[v,k]·{powers}[k,q]"
        topics, factor = ("largest", "block_sums", "block_outputs"), ""
        if block > 1:
            topics, before = ("largest_so_far", "running_sums", "running_outputs"), block - 1
            largest = f"max(m{before}[q], {largest})"
            factor = f"rescaling  f{block}[q] = base^(m{before}[q] − m{block}[q])"
            total, mixture = f"f{block}[q]·l{before}[q] + {total}", f"f{block}[q]·o{before}[v,q] + {mixture}"
        text += f"""
        scores        S{block}[k,q] = Σ_r K{block}[r,k]·Q[r,q]
        {f"scaled  {scores}[k,q] = scale(S{block}[k,q])" if is_scaled else ""}
        {topics[0]}   m{block}[q] = {largest}
        {factor}
        block_powers  {powers}[k,q] = base^({scores}[k,q] − m{block}[q])
        {topics[1]}   l{block}[q] = {total}
        {topics[2]}   o{block}[v,q] = {mixture}
        """
    return f"""{text}
        divided       Z[v,q] = o{count}[v,q] / l{count}[q]
    """


def list_block_pages(count: int) -> tuple[str, ...]:
    """Return which stages stand on a page: a block each, the outputs below the last."""
    stages = "S scaled m f powers l o"
    pages = [" ".join(f"{stage}{block}" for stage in stages.split()) for block in range(1, count + 1)]
    return *pages[:-1], f"{pages[-1]} Z"


NEXT_TOKEN_PAGES = (
    "squares3 r3 N3 logits tempered shifted powers sums p kept sums_k p_k loss g",
    "zz W_U_new logits_new powers_new sums_new p_new loss_new",
)

BACKWARD_PAGES = ("S scaled masked shifted powers sums A Z", "dA d dS dS_scaled dq", "dK", "dV")
"""Forward, then back; what is made of a query and a gradient goes down for no query."""


def arrange_pages(formulas: FormulaList, pages: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """Return the names of the stages page by page; of several heads each has one, for a small one has room there.

    What heads share stands on the page of the first of them.
    """
    names = {formula.name for formula in formulas.formulas}
    by_page = [tuple(name for name in page.split() if name in names) for page in pages]
    arranged: list[tuple[str, ...]] = []
    if heads_pages := [page for page in by_page if any(formulas.families.get(name) == HEAD for name in page)]:
        of_heads = [name for page in heads_pages for name in page]
        arranged += by_page[: by_page.index(heads_pages[0])]
        by_page = [page for page in by_page if page not in (*heads_pages, *arranged)]
        arranged += [_list_head(formulas, of_heads, head) for head in range(1, formulas.head_count + 1)]
    arranged = [page for page in (*arranged, *by_page) if page]
    if _find_tokens(formulas) in names:
        arranged = _work_beside(formulas, arranged)
    read = {name for stage in formulas.stages for name in stage.reads}
    shown = {"E", "X"}.union(*arranged)
    arranged += [(stage.name,) for stage in formulas.stages if stage.name not in read | shown]  # V, where it is the end
    if {"E", "X"} <= names:
        return (("E", "X"), *arranged)
    if "X" in names:
        first, *others = arranged or [()]
        return (("X", *first), *others)
    return tuple(arranged)


def _find_tokens(formulas: FormulaList) -> str:
    """Return what values are made of: X, or what is normalised of it."""
    read = [formula.reads for formula in formulas.stages if formula.topic == "values"]
    return "N1" if any("N1" in names for names in read) else "X"


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
    """Put first on each page the stages of its head that read the tokens and are on none.

    V reads X and is on no page: X would be drawn for it once more, and here X is worked, so copied by hand.
    """
    tokens = _find_tokens(formulas)
    readers = [stage for stage in formulas.stages if tokens in stage.reads]
    known = {name for page in pages for name in page}
    arranged = []
    for page in pages:
        heads = {stage.head for stage in readers if stage.name in page}
        added = tuple(stage.name for stage in readers if stage.name not in known and stage.head in heads)
        known.update(added)
        arranged.append((*added, *page))
    return arranged
