"""What a stage can do. An operation turns the matrices it reads into one, and can tell how one cell comes about.

Every operation is written for tokens as columns and knows its own mirror image for tokens as rows.
"""

from attnhand.operations.layers import Concatenate, ReLU
from attnhand.operations.lines import Along
from attnhand.operations.product import Product, Role
from attnhand.operations.softmax import Divide, Mask, Power, ScaleScores, Sum
from attnhand.operations.tokens import Add, LookUp, Positions

Operation = Product | ScaleScores | Mask | Power | Sum | Divide | Concatenate | ReLU | LookUp | Positions | Add

__all__ = [
    "Add",
    "Along",
    "Concatenate",
    "Divide",
    "LookUp",
    "Mask",
    "Operation",
    "Positions",
    "Power",
    "Product",
    "ReLU",
    "Role",
    "ScaleScores",
    "Sum",
]
