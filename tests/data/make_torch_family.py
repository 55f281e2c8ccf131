"""Make torch_family.json: what else is taught beside plain attention, with PyTorch's own answers.

To run it, from the top of the repository:

    pip install torch numpy
    python tests/data/make_torch_family.py

It writes torch_family.json next to itself; the tests read only that file. Everything is worked in float64 and written
unrounded, from whole numbers that numpy.random.default_rng draws. Tokens are COLUMNS everywhere in the file.

    kind             given                             answers, and what works them in PyTorch
    "grouped"        X, W_Q (a head), W_K, W_V         Z a head: scaled_dot_product_attention(enable_gqa=True)
                     (a group), causal
    "rms"            X                                 N: rms_norm over a token, eps 0, no gain
    "backward"       q, K, V, g (by the output z)      z, dq, dK, dV: autograd of scaled_dot_product_attention
    "cross-entropy"  W_U, z, target (from 1)           p: softmax; loss, g (by the logits): autograd of cross_entropy
    "temperature"    logits, temperature               p: softmax of logits / temperature
    "distance"       X, W_Q, W_K, W_V                  Z: scaled_dot_product_attention, −1 a place as attn_mask, causal
    "sink"           X, W_Q, W_K, W_V, sink            A, Z: softmax with one more score, of no value
"""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn.functional import cross_entropy, rms_norm, scaled_dot_product_attention

COUNT = 12
SEED = 1711


def draw(rng: np.random.Generator, *shape: int) -> torch.Tensor:
    """Draw whole numbers from −2 to 2."""
    return torch.tensor(rng.integers(-2, 3, shape), dtype=torch.float64)


def columns(rows: torch.Tensor) -> Any:
    """Turn a tensor with tokens as rows into lists with tokens as columns."""
    return rows.detach().transpose(-2, -1).tolist()


def draw_one_head(rng: np.random.Generator) -> tuple[dict[str, Any], torch.Tensor, torch.Tensor, torch.Tensor]:
    """Draw X and the weights of one head; returns them as given, then queries, keys and values, tokens as rows."""
    tokens, features, d_k, d_v = (int(size) for size in rng.integers([3, 2, 1, 1], [6, 5, 4, 4], endpoint=True))
    X, W_Q, W_K, W_V = (
        draw(rng, features, tokens), draw(rng, d_k, features), draw(rng, d_k, features), draw(rng, d_v, features)
    )  # fmt: skip
    given = {"X": X.tolist(), "W_Q": W_Q.tolist(), "W_K": W_K.tolist(), "W_V": W_V.tolist()}
    return given, (W_Q @ X).T, (W_K @ X).T, (W_V @ X).T


def make_grouped(rng: np.random.Generator, at: int) -> dict[str, Any]:
    """Four heads and two groups of keys and values, or one; every second under the causal mask."""
    tokens, features, groups, is_causal = 4, 5, 1 + at % 2, at % 4 > 1
    X, W_Q = draw(rng, features, tokens), draw(rng, 4, 2, features)
    W_K, W_V = draw(rng, groups, 2, features), draw(rng, groups, 3, features)
    q, k, v = ((weights @ X).transpose(-2, -1)[None] for weights in (W_Q, W_K, W_V))
    outputs = scaled_dot_product_attention(q, k, v, is_causal=is_causal, enable_gqa=True)[0]
    given = {"X": X.tolist(), "W_Q": W_Q.tolist(), "W_K": W_K.tolist(), "W_V": W_V.tolist()}
    return {"kind": "grouped", "causal": is_causal, "given": given, "Z": columns(outputs)}


def make_rms(rng: np.random.Generator, at: int) -> dict[str, Any]:
    """Tokens of 2 to 7 numbers, none of them 0 alone."""
    X = draw(rng, 4, 2 + at % 6) * (1 + at)
    X[:, 0] += X.abs().sum(1) == 0
    return {"kind": "rms", "given": {"X": columns(X)}, "N": columns(rms_norm(X, (X.shape[1],), eps=0.0))}


def make_backward(rng: np.random.Generator, at: int) -> dict[str, Any]:
    """One query."""
    q, K, V, g = draw(rng, 1, 1 + at % 4), draw(rng, 4, 1 + at % 4), draw(rng, 4, 2), draw(rng, 1, 2)
    for each in (q, K, V):
        each.requires_grad_()
    z = scaled_dot_product_attention(q[None], K[None], V[None])[0]
    z.backward(g)
    answers = {"z": z, "dq": q.grad, "dK": K.grad, "dV": V.grad}
    given = {"q": columns(q), "K": columns(K), "V": columns(V), "g": columns(g)}
    return {"kind": "backward", "given": given, **{name: columns(a) for name, a in answers.items() if a is not None}}


def make_cross_entropy(rng: np.random.Generator, at: int) -> dict[str, Any]:
    """Four to six words, three features."""
    W_U, z, target = draw(rng, 4 + at % 3, 3), draw(rng, 3, 1), int(rng.integers(4))
    logits = (W_U @ z).T.detach().requires_grad_()
    loss = cross_entropy(logits, torch.tensor([target]))
    loss.backward()
    assert logits.grad is not None
    answers = {"p": columns(torch.softmax(logits, -1)), "loss": loss.item(), "g": columns(logits.grad)}
    given = {"W_U": W_U.tolist(), "z": z.tolist(), "target": target + 1}
    return {"kind": "cross-entropy", "given": given, "logits": columns(logits), **answers}


def make_temperature(rng: np.random.Generator, at: int) -> dict[str, Any]:
    """A half, two, three in turn."""
    logits, temperature = draw(rng, 1, 5) * 2, (0.5, 2.0, 3.0)[at % 3]
    given = {"logits": columns(logits), "temperature": temperature}
    return {"kind": "temperature", "given": given, "p": columns(torch.softmax(logits / temperature, -1))}


def make_distance(rng: np.random.Generator, at: int) -> dict[str, Any]:
    """Less by 1 a place, later tokens hidden."""
    given, q, k, v = draw_one_head(rng)
    places = torch.arange(len(q), dtype=torch.float64)
    bias = places[None, :] - places[:, None]
    bias = bias.masked_fill(bias > 0, -math.inf)
    Z = scaled_dot_product_attention(q[None], k[None], v[None], attn_mask=bias[None])[0]
    return {"kind": "distance", "given": given, "Z": columns(Z)}


def make_sink(rng: np.random.Generator, at: int) -> dict[str, Any]:
    """A score beside those of the tokens, as gpt-oss has it."""
    given, q, k, v = draw_one_head(rng)
    sink = at % 4 - 1
    scores = q @ k.T / math.sqrt(q.shape[1])
    weights = torch.softmax(torch.cat([scores, torch.full((len(q), 1), float(sink), dtype=torch.float64)], 1), 1)
    A = weights[:, :-1]
    return {"kind": "sink", "given": {**given, "sink": sink}, "A": columns(A), "Z": columns(A @ v)}


MAKERS = (
    make_grouped, make_rms, make_backward, make_cross_entropy, make_temperature, make_distance, make_sink
)  # fmt: skip


def main() -> None:
    """Write torch_family.json next to this file."""
    torch.set_num_threads(1)
    rng = np.random.default_rng(SEED)
    problems = [make(rng, at) for make in MAKERS for at in range(COUNT)]

    def compact(value: object) -> str:
        return json.dumps(value, separators=(",", ":"), allow_nan=False)

    versions = {"torch": str(torch.__version__).split("+")[0], "numpy": str(np.__version__)}
    lines = ",\n".join(map(compact, problems))
    text = f'{{"made_with":{compact(versions)},"problems":[\n{lines}\n]}}\n'
    Path(__file__).with_name("torch_family.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
