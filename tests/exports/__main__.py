"""Try exports in the programs that read them: ``python -m tests.exports [PART[=COUNT] …]``, all parts if none is named.

Each part is a module beside this one, and its number chooses a sheet and what a student does with it. ``make test``
tries the same exports without these programs, which ``make exports`` installs.
"""

import sys

from tests.attempts import Attempts, run_attempts
from tests.exports import jupyter, markdown, otter, qti, scorm, stack, tex, xlsx
from tests.exports.tried import TRIED

EXPORTS: Attempts = {
    "jupyter": (jupyter.attempt, 10),
    "markdown": (markdown.attempt, len(TRIED)),
    "otter": (otter.attempt, len(TRIED) // 2),
    "qti": (qti.attempt, len(TRIED) // 2),
    "scorm": (scorm.attempt, 400),
    "stack": (stack.try_stack, len(TRIED) // 2),
    "tex": (tex.attempt, len(TRIED)),
    "xlsx": (xlsx.attempt, len(TRIED) // 2),
}

if __name__ == "__main__":
    sys.exit(1 if run_attempts(EXPORTS, sys.argv[1:]) else 0)
