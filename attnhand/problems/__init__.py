"""From a file or a seed to a vetted problem; the code on the paper."""
