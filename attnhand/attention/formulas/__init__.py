"""A worksheet as a list of formulas, each written once: read, worked, explained and done wrongly from its text."""
