"""Marking that follows the student: what is right, what follows from an earlier mistake, which slip it was."""
