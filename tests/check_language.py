"""Say what is missing, too long or inconsistent in a language's file, and show every sentence in its place.

``python -m tests.check_language de`` lists what is wrong, and then what may be: each line with its key.
``python -m tests.check_language de --show feedback`` prints the sentences whose keys begin so, in English and in the
language, filled in where the program says with what, with the line that asks for them.
``python -m tests.check_language de --pages out`` writes pages of all kinds into a folder.
"""

import argparse
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import attnhand
from attnhand.errors import ProblemError
from attnhand.formats.terminal import render_terminal
from attnhand.problems.story_template import STORY_NAMES, read_bundled_story
from attnhand.sheet.options import PageOptions
from attnhand.text import LANGUAGES, get_language, read_story_words
from attnhand.text import language as module
from attnhand.text.language import PLURAL_RULES, parse_language_file
from attnhand.text.widths import find_missing_characters, measure_width, parse_markup
from tests.catalogue import find_asked_keys, find_faults

NARROW_KEYS = re.compile(
    r"matrix\..*|choice\.(?!.*\.also$).*|name|date|total|asks|answers|sums\.check\..*|carried\.key|head\..*|sizes\..*"
    r"|effort.*|mark(\..*)?|code|page|faded|salted|web\.(view\..*|check|next_key|progress|keypad|tools|rules|more|close)"
    r"|exact(\.\w+)?|ask\.because|grade\.column\..*|line\..*|lines\..*|credit"
)
"""Of what stands in narrow places: no longer than English and a quarter."""

MOST_IN_NARROW_PLACES, MOST_BESIDE_MATRICES = 1.25, 1.34

BESIDE_MATRICES = re.compile(r".*\.(for|do|example|learned)(\..*)?|rules\..*")
"""What stands beside matrices, where a line more moves the page."""

SPARE_POINTS = 8.0
"""How much wider than its share a text may be, in points of 10-point type: short words hardly can be shorter."""

SPARE_POINTS_OF_CAPTION = 2.5
"""Above exact values, where a caption has to fit beside the next matrix."""

MARKUP = re.compile(r"\*\*|(?<!_)[_^](?:\{[^}]*\}|−?\w)")

SAME_EVERYWHERE = re.compile(r"(formula|matrix|spoken|head|hint\.open|explain|choice|good\.range|title)\b.*")
"""Keys whose sentence may be that of English."""


def read_own_sentences(code: str) -> dict[str, str]:
    """Return what stands in a language's own file, as it stands."""
    path = Path(module.__file__).parent / LANGUAGES[code]
    return parse_language_file(path.read_text(encoding="utf-8"))[1]


def find_doubts(english: Mapping[str, str], own: Mapping[str, str]) -> Iterator[str]:
    """Yield what may be wrong with sentences, a line a doubt: too long, marked up otherwise, not translated."""
    for key, sentence in own.items():
        if (source := english.get(key)) is None:
            continue
        limit = MOST_IN_NARROW_PLACES if NARROW_KEYS.fullmatch(key) else MOST_BESIDE_MATRICES
        if NARROW_KEYS.fullmatch(key) or BESIDE_MATRICES.fullmatch(key):
            wide, room = (measure_plain_width(text) for text in (sentence, source))
            spare = SPARE_POINTS if not key.startswith("exact") else SPARE_POINTS_OF_CAPTION - room * (limit - 1)
            if wide > room * limit + spare:
                yield f"{key}: too long, {wide / room:.0%} of the English (at most {limit:.0%}): {sentence}"
        if sorted(MARKUP.findall(sentence)) != sorted(MARKUP.findall(source)):
            yield f"{key}: other markup than {source!r}: {sentence}"
        if (sentence[-1:] in ".?:!") != (source[-1:] in ".?:!") and not key.endswith(".also"):
            yield f"{key}: ends otherwise than {source!r}: {sentence}"
        if missing := find_missing_characters(sentence):
            yield f"{key}: the fonts lack {missing}"
        is_word = re.search("[a-z]{3}", re.sub(r"\{[^}]*\}", "", source))
        if sentence == source and is_word and not SAME_EVERYWHERE.fullmatch(key):
            yield f"{key}: as in English: {sentence}"
        if re.search(r'["\']|(?<!\w)\.\.\.', sentence) and not re.search(r'["\']', source):
            yield f"{key}: straight quotation marks or dots: {sentence}"


def measure_plain_width(sentence: str) -> float:
    """Return how wide a sentence is in points, in type of 10 points, plural forms by their first."""
    plain = re.sub(r"\{\w+:\w+=([^|{}]*)[^{}]*\}", r"\1", sentence)
    return measure_width(parse_markup(plain), 10) / 25.4 * 72


def find_story_faults(code: str) -> Iterator[str]:
    """Yield what is wrong with a language's stories, a line a fault."""
    words = read_story_words(code)
    yield from (f"stories.{name}: no such story" for name in words if name not in STORY_NAMES)
    for story in map(read_bundled_story, STORY_NAMES):
        if story.name not in words:
            yield f"stories.{story.name}: missing"
            continue
        try:
            text = story.read_translation(code)
        except ProblemError as error:
            yield f"stories.{story.name}: {error}"
            continue
        words_by_token = dict(text.words)
        named = {token for variant in story.variants for token in (*variant.tokens, *variant.memory)}
        yield from (f"stories.{story.name}.words: lacks {token}" for token in sorted(named - set(words_by_token)))
        yield from (
            f"stories.{story.name}.words.{t}: {w} has more than 12 letters"
            for t, w in words_by_token.items()
            if len(w) > 12
        )
        given = words[story.name].get("features", {})
        lacking = [name for name in story.features if name not in given]  # type: ignore[operator]
        yield from (f"stories.{story.name}.features: lacks {name}" for name in lacking)
        if dict(story.texts)["en"].values and not text.values:
            yield f"stories.{story.name}.values: missing"


def write_pages(code: str, folder: Path) -> None:
    """Write a sheet and a key of every kind: PDF, and web page of the first."""
    folder.mkdir(parents=True, exist_ok=True)
    kinds: dict[str, dict[str, object]] = {
        "self": {"show_exact": True},
        "causal": {"causal": True, "show_exact": True},
        "rows": {"convention": "rows"},
        "multi-head": {"mechanism": "multi-head"},
        "block": {"mechanism": "block"},
        "cross": {"mechanism": "cross"},
        "basic": {"mechanism": "basic"},
        "mistake": {"mistake": "any"},
    }
    options = set(PageOptions.__dataclass_fields__)
    for name, given in kinds.items():
        page = PageOptions(language=code, **{k: v for k, v in given.items() if k in options})  # type: ignore[arg-type]
        others = {k: v for k, v in given.items() if k not in options}
        sheet = attnhand.generate(7, options=page, **others)  # type: ignore[arg-type]
        (folder / f"{name}.pdf").write_bytes(sheet.blank.pdf())
        (folder / f"{name}-key.pdf").write_bytes(sheet.key.pdf())
    for name in STORY_NAMES:
        sheet = attnhand.generate(7, story=name, options=PageOptions(language=code))
        (folder / f"story-{name}.pdf").write_bytes(sheet.key.pdf())
    web = attnhand.generate(7, options=PageOptions(language=code))
    (folder / "self.html").write_text(web.blank.html(), encoding="utf-8")
    (folder / "self.txt").write_text(render_terminal(web.key, width=100), encoding="utf-8")


def main() -> int:
    """Check one language."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("code", choices=[code for code in LANGUAGES if code != "en"])
    parser.add_argument("--show", metavar="KEY", help="print the sentences whose keys begin so")
    parser.add_argument("--pages", metavar="FOLDER", type=Path, help="write pages of all kinds there")
    options = parser.parse_args()
    english, own = get_language("en").sentences, read_own_sentences(options.code)
    if options.show is not None:
        asked = find_asked_keys()
        for key in english:
            if key.startswith(options.show):
                where = next((place for pattern, place in asked.items() if pattern == re.escape(key)), "")
                print(f"{key}  {where}\n  en  {english[key]}\n  {options.code}  {own.get(key, '(missing)')}\n")
        return 0
    if options.pages:
        write_pages(options.code, options.pages)
        return 0
    faults = [*find_faults(english, own, PLURAL_RULES[options.code]), *find_story_faults(options.code)]
    print("\n".join(faults))
    print(*["", "To look at:", *find_doubts(english, own)], sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
