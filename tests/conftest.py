"""What all tests share: Hypothesis shows the same examples in every run, however slow the machine."""

from hypothesis import settings

settings.register_profile("attnhand", deadline=None, derandomize=True)
settings.load_profile("attnhand")
