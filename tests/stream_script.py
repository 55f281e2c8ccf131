"""Print what the stream gives, as JSON: ``python stream_script.py PATH_TO_STREAM_PY``.

The tests run it with every Python they find. It needs nothing but that one file, for another Python may lack the
libraries that the package uses.
"""

import importlib.util
import json
import sys


def draw_values(path: str) -> dict[str, list[int]]:
    """Return lists of draws, by what was drawn."""
    spec = importlib.util.spec_from_file_location("stream", path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    x, many = module.RandomStream("42", "X"), module.RandomStream("4294967295", "salt", "grüße", "W_Q", "17")
    return {
        "X": [x.draw_integer(-3, 3) for _ in range(12)],
        "perm": module.RandomStream("42", "perm").shuffle(range(6)),
        "below": [many.draw_below(n) for n in (1, 2, 3, 10, 2**16 + 1, 2**31 + 1, 2**32 - 1, 2**32) for _ in range(50)],
        "picked": [many.pick((3, 1, 4, 1, 5, 9)) for _ in range(50)],
        "sampled": many.sample(range(40), 20),
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(draw_values(sys.argv[1])))
