"""A worksheet as a list of formulas, each written once: read, worked, explained and done wrongly from its text.

All slips are worked from it; stages still come from ``attention.mechanisms`` and ``operations``, and tests compare the
two. "Formulas" in attnhand/README.md teaches the notation and says what each module does.
"""
