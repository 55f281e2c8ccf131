"""A class: its roster, a distinct sheet for everyone, and what came back."""

WORKER_MODULES = ("attnhand.classroom.making", "attnhand.attention.proof")
"""What a worker that makes sheets needs, worth loading before there are any."""

MARKING_MODULES = ("attnhand.classroom.papers", "attnhand.marking.checked", "attnhand.sheet.make")
"""What a worker that marks papers needs."""
