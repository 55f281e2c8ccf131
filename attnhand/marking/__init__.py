"""Marking that follows the student: what is right, and what follows from an earlier mistake."""
