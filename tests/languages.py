"""A second language for the tests, made up on the fly: it counts as Polish does and writes decimals with a comma."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

from attnhand.text import get_language

CODE = "xx"

LEFT_OUT = "practice.first"
"""The one sentence that it lacks."""

LISTS = {
    "list": (", ", ", ", ", "),
    "and": (" et ", ", ", " et "),
    "or": (", vel ", ", ", ", vel "),
    "facts": (" · ", " · ", " · "),
    "slashes": (" / ", " / ", " / "),
    "clauses": ("; ", "; ", "; "),
    "steps": (", then ", ", then ", ", then "),
    "numbers": ("; ", "; ", "; "),
}


def translate(key: str, sentence: str) -> str:
    """Return a sentence between ‹ and ›, so that what is not translated shows; forms name their category.

    Names of matrices stay, and what a number on the page is made of.
    """
    if key.startswith(("matrix.", "formula.", "spoken.")) or key in ("vet.counts", "good.range"):
        return sentence
    forms = re.compile(r"\{(\w+):one=([^|{}]*(?:\{\w+\}[^|{}]*)*)\|other=([^{}]*(?:\{\w+\}[^{}]*)*)\}")
    counted = forms.sub(r"{\1:one=\2|few=\3-few|many=\3-many}", sentence)
    return f"‹{counted}›"


INVENTED_SENTENCES = {
    key: translate(key, sentence) for key, sentence in get_language("en").sentences.items() if key != LEFT_OUT
}


def write_file(path: Path, translated: Mapping[str, str] = INVENTED_SENTENCES) -> None:
    """Write the file of the language, or of one with other sentences."""
    lists = "".join(
        f"{kind} = {{ two = {json.dumps(two)}, middle = {json.dumps(middle)}, last = {json.dumps(last)} }}\n"
        for kind, (two, middle, last) in LISTS.items()
    )
    sentences = "".join(
        f"{json.dumps(key)} = {json.dumps(sentence, ensure_ascii=False)}\n" for key, sentence in translated.items()
    )
    path.write_text(
        f'[language]\nname = "Made up"\ndecimal_mark = ","\n\n[language.lists]\n{lists}\n[sentences]\n{sentences}',
        encoding="utf-8",
    )
