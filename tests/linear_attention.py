"""A mechanism without scores, weights and powers, which the program does not have: linear attention."""

import numpy as np

from attnhand.attention.closed_forms import ClosedForm
from attnhand.attention.formulas.nodes import Formula
from attnhand.attention.formulas.reading import read_formulas
from attnhand.attention.mechanisms import MechanismFamily, Variant, kit

POSITIVE = """
    positive  Q_positive[r,q] = max(Q[r,q], 0) + 1
    positive  K_positive[r,k] = max(K[r,k], 0) + 1
"""

STATE = """
    state     state[v,r] = Σ_k V[v,k]·K_positive[r,k]
    reach     reach[r] = Σ_k K_positive[r,k]
    mixed     mixed[v,q] = Σ_r state[v,r]·Q_positive[r,q]
    totals    total[q] = Σ_r reach[r]·Q_positive[r,q]
    ratio     Z[v,q] = mixed[v,q] / total[q]
"""
"""A. Katharopoulos et al., "Transformers are RNNs", 2020, equations 5 and 6; they take elu(x) + 1."""


def write_linear(_variant: Variant) -> tuple[Formula, ...]:
    """Keys and values of all tokens are added up once, whoever asks."""
    return read_formulas(kit.project() + POSITIVE + STATE)


LINEAR = MechanismFamily(write=write_linear, pages=("K K_positive reach Q Q_positive total", "state mixed Z"))

LINEAR_AGAIN: ClosedForm = {
    "Q": lambda m: np.einsum("rf,fq->rq", m.W_Q, m.X),
    "K": lambda m: np.einsum("rf,fk->rk", m.W_K, m.X),
    "V": lambda m: np.einsum("vf,fk->vk", m.W_V, m.X),
    "Q_positive": lambda m: np.where(m.Q > 0, m.Q, 0.0) + 1.0,
    "K_positive": lambda m: np.where(m.K > 0, m.K, 0.0) + 1.0,
    "state": lambda m: np.einsum("vk,rk->vr", m.V, m.K_positive),
    "reach": lambda m: m.K_positive @ np.ones((m.K_positive.shape[1], 1)),
    "mixed": lambda m: m.V @ (m.K_positive.T @ m.Q_positive),
    "total": lambda m: (m.K_positive.T @ m.Q_positive).sum(axis=0, keepdims=True),
    "Z": lambda m: m.V @ ((m.K_positive.T @ m.Q_positive) / (m.K_positive.T @ m.Q_positive).sum(axis=0)),
}
