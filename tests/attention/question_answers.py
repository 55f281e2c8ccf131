"""Two hundred sheets of every question: its answer is what another computation gives.

``python -m tests.attention.question_answers`` (``make sweep``), with another number of seeds if one is given.
"""

import sys

from tests.attention.test_questions import FORM_OF_QUESTION, count_agreeing_answers

SEEDS = 200


def main() -> None:
    """Say of how many sheets each question was asked, the first wrong answer ends it."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else SEEDS
    for name, form in FORM_OF_QUESTION.items():
        print(f"{name:18} {form:10} {count_agreeing_answers(name, count)} of {count}")  # noqa: T201


if __name__ == "__main__":
    main()
