"""Marking that follows the student: what is right, what follows from an earlier mistake, which slip it was.

From a file to the gradebook, what stands in a cell goes through four things:

- ``Answers`` (``formats/answers.py``): its text, as it was handed in
- ``CellMark``, one of the ``Marks`` of a sheet: its text, its number, the key and the mark
- ``CheckResult``: a whole paper, with its marks, what to say of them, and whose it is
- ``GradebookRow`` (``classroom/gradebook.py``): a student, with the paper that counts
"""
