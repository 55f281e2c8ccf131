"""A structure tree as PDF objects."""

import pytest

from attnhand.formats.pdf.tag_objects import TreeText
from attnhand.formats.pdf.tags import Node


def test_a_tree_is_filled_with_numbers() -> None:
    """Elements are numbered in turn; what stands for the figure may hold any sign, a percent sign too."""
    figure = Node("Figure", 0, [1], figure_area=(25.4, 50.8, 25.4, 12.7))
    tree = TreeText(Node("Part", 0, [Node("P", 0, [0]), figure]), [2], 254.0)
    assert tree.count == 3
    assert tree.fill_elements(12, 4, b"(50 %)") == [
        b"<</S/Part/P 4 0 R/K[13 0 R 14 0 R]>>",
        b"<</S/P/P 12 0 R/Pg 10 0 R/K 0>>",
        b"<</S/Figure/Alt(50 %)/A<</O/Layout/BBox[72.000 540.000 144.000 576.000]>>/P 12 0 R/Pg 10 0 R/K 1>>",
    ]
    assert tree.fill_parent_node(12, 7) == b"<</Limits[7 7]/Nums[7[13 0 R 14 0 R]]>>"


def test_a_field_belongs_to_its_element() -> None:
    """A field stands behind all elements; its element says where it is, and the parent tree whose it is."""
    tree = TreeText(Node("Part", 0, [Node("P", 0, [0]), Node("Form", 0, [1])]), [2], 254.0)
    assert tree.fill_elements(12, 4, b"()") == [
        b"<</S/Part/P 4 0 R/K[13 0 R 14 0 R]>>",
        b"<</S/P/P 12 0 R/Pg 10 0 R/K 0>>",
        b"<</S/Form/P 12 0 R/Pg 10 0 R/K[<</Type/OBJR/Pg 10 0 R/Obj 15 0 R>> 1]>>",
    ]
    assert tree.fill_parent_node(12, 7) == b"<</Limits[7 8]/Nums[7[13 0 R 14 0 R] 8 14 0 R]>>"


def test_content_of_no_element_is_a_bug() -> None:
    """Nobody who listens would hear it."""
    with pytest.raises(RuntimeError, match="belongs to no element"):
        TreeText(Node("Part", 0, [Node("P", 0, [0])]), [2], 254.0)
