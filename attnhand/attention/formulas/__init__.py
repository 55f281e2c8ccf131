"""A worksheet as a list of formulas, each written once: read, worked, explained and done wrongly from its text.

All stages and all slips are worked from it. "Formulas" in attnhand/README.md teaches the notation and says what each
module does.
"""
