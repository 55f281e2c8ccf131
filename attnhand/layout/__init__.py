"""From panels to pages: where every box stands, in millimetres.

A *panel* is one stage with its factors and text. A *run* is a chain of panels that the mechanism names, such as K, Q,
S, scaled; every run begins a new page. The products of a run stand in the *query column*, each below the last one, so
that a product which the next one continues is not drawn again as its factor. With tokens as columns::

                        left           query column     right
    panel K                            X                               query factor
            text        W_K            K                K = W_K X      side factor, product, formula
    panel Q             W_Q            Q                Q = W_Q X      X stands above already
    panel S             K^T            S                S = K^T Q      continues Q, its query factor
    panel scaled        text           scaled           exact values   no factors: cell by cell

One query is one column of the query column: q1 is read from top to bottom. With tokens as rows everything is turned:
the query column lies across the page, one query is one row, and side factors stand above. Code here therefore speaks of
*along* (the direction of a query's numbers: down, or to the right) and *across*. A panel with what it takes along the
query column is a *band*. Two heads may share a page; then each has a *strip* of it.

Modules in the order in which a page comes about:

- ``typography``: sizes of type, cells, paper
- ``setting``: one choice of paper, cell size and orientation; along and across become x and y
- ``placement``: the panels of one page become boxes; ``page_frame``: what stands around them
- ``composer``: which panels go on which page
- ``lay_out``: every setting is tried, the cheapest layout is taken
- ``sheet_kind``: sheets that differ in their numbers alone share one layout; ``fill`` puts their numbers into it
"""
