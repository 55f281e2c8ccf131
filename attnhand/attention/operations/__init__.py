"""What a stage can do. An operation turns the matrices it reads into one, and states all that others ask of it.

Every operation is written for tokens as columns and knows its own mirror image for tokens as rows.
"""

from attnhand.attention.operations.base import CellExplanation, Drawing, Operation
from attnhand.attention.operations.layers import Concatenate, ReLU
from attnhand.attention.operations.product import Product, ProductRole
from attnhand.attention.operations.softmax import Divide, Mask, Power, ScaleScores, Sum, find_large_exponent
from attnhand.attention.operations.tokens import Add, LookUp, Positions

OPERATIONS: tuple[type[Operation], ...] = (
    Product,
    ScaleScores,
    Mask,
    Power,
    Sum,
    Divide,
    Concatenate,
    ReLU,
    LookUp,
    Positions,
    Add,
)

__all__ = [
    "OPERATIONS",
    "Add",
    "CellExplanation",
    "Concatenate",
    "Divide",
    "Drawing",
    "LookUp",
    "Mask",
    "Operation",
    "Positions",
    "Power",
    "Product",
    "ProductRole",
    "ReLU",
    "ScaleScores",
    "Sum",
    "find_large_exponent",
]
