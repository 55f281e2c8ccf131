"""A worksheet as a list of formulas, each written once: read, worked, explained and done wrongly from its text.

So far it stands beside ``attention.mechanisms``, ``operations`` and ``slips``, which all rooms still use; tests compare
the two. "Formulas" in attnhand/README.md teaches the notation and says what each module does.
"""
