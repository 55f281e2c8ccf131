"""How fast it is: ratios within one run, medians of several. Never part of the tests."""
