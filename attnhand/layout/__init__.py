"""From panels to pages: where every box stands, in millimetres.

A *panel* is one stage with its factors and words. Pages are composed on one *grid* of three places, 56 mm each. A
*strip* is what stands side by side on it between two rules: words first, then left factors, then what is worked, each
product below the factor that it continues. With tokens as columns::

                 place 1        place 2        place 3
    strip of K   words                         X
                                W_K            K = W_K X
    strip of Q   words          W_Q            Q = W_Q X         X stands above already
    strip of S   words          Kᵀ             S = Kᵀ Q          so does Q

Modules in the order in which a page comes about:

- ``typography``: sizes of type, cells, paper; ``page``: the boxes that a page is made of
- ``page_grid``: the places, heights of rows, and the grids to try for a sheet
- ``strips``: what stands side by side; ``face``: its grids and words; ``strip_box``: how high it is, where all stands
- ``page_head``, ``flow_diagram``, ``name_line``, ``question_columns``, ``trace_columns``, ``correction_pages``: more
- ``breaks``: which strips go on which page; ``compose``: all of it, for blank and key at once
- ``lay_out``: every grid is tried, the cheapest layout is taken
- ``sheet_kind``: sheets that differ in their numbers alone share one layout; ``fill`` puts their numbers into it

What is no sheet has pages of its own: ``cover_page``, ``text_pages``, ``stage_layout`` (one stage as a picture).
"""
