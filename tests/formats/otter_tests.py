"""Runs the tests of a notebook as otter does: one function each, with what a student's variables hold."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from attnhand.formats.otter import make_variable


def read_sources(text: str) -> list[str]:
    """Return what stands in the cells."""
    return [cell["source"] for cell in json.loads(text)["cells"]]


def run_hidden_tests(text: str, answers: Mapping[str, Sequence[Sequence[object]]]) -> dict[str, str]:
    """Return what the hidden test of every stage says of answers, by its variable; empty where it passes."""
    # where nothing is asked the notebook has a 0 already
    variables = {make_variable(name): [[x or "0" for x in row] for row in rows] for name, rows in answers.items()}
    sentences: dict[str, str] = {}
    question = ""
    for source in read_sources(text):
        if source.startswith("# BEGIN QUESTION"):
            question = source.partition("name: ")[2].partition("\n")[0]
        elif source.startswith("# HIDDEN"):
            space: dict[str, Any] = {}
            exec(source, space)
            test = space["test_numbers"]
            try:
                test(**{name: variables.get(name) for name in test.__code__.co_varnames[: test.__code__.co_argcount]})
            except AssertionError as failure:
                sentences[question] = str(failure)
            else:
                sentences[question] = ""
    return sentences
