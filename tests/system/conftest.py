"""What pytest must not load while it looks for tests."""

collect_ignore = ["interrupted_start.py"]  # it interrupts whoever loads it
