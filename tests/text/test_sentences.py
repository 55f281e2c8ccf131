"""Every language has the sentences that the program asks for, whole, and no others."""

import tomllib
from contextlib import suppress
from pathlib import Path

import pytest

from attnhand.attention.mechanisms import MECHANISMS, Variant
from attnhand.errors import ProblemError
from attnhand.text import LANGUAGES, get_language
from attnhand.text import language as module
from attnhand.text.language import PLURAL_RULES, parse_language_file
from tests.catalogue import (
    LIST_KINDS,
    find_asked_keys,
    find_faults,
    find_instruction_keys,
    find_keys_in_code,
    find_unused_keys,
    is_known,
)
from tests.languages import INVENTED_SENTENCES, LEFT_OUT

ENGLISH = get_language("en").sentences


def read_sentences(code: str) -> dict[str, str]:
    """Return what stands in a language's own file."""
    path = Path(module.__file__).parent / LANGUAGES[code]
    sentences: dict[str, str] = tomllib.loads(path.read_text(encoding="utf-8"))["sentences"]
    return sentences


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_file_is_read_as_toml_is(code: str) -> None:
    """The quick reader finds every sentence and every fact that a TOML parser finds, escapes undone."""
    text = (Path(module.__file__).parent / LANGUAGES[code]).read_text(encoding="utf-8")
    data = tomllib.loads(text)
    assert len(data["sentences"]) > 600
    assert parse_language_file(text) == (data["language"], data["sentences"])
    escaped = '[language]\nname = "X"\n[sentences]\n"a.b" = "one \\"two\\" \\\\ \\u00e9"  # a comment\n'
    assert parse_language_file(escaped) == ({"name": "X"}, tomllib.loads(escaped)["sentences"])


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_is_whole(code: str) -> None:
    """No sentence is missing or unknown, no placeholder lost or invented, no plural form left out."""
    faults = find_faults(ENGLISH, read_sentences(code), PLURAL_RULES[code])
    assert not faults, f"in {LANGUAGES[code]}: {'; '.join(faults)}"


def test_every_mechanism_has_its_title() -> None:
    """Under a mask too, where it can have one: else its sheets would be called as any attention."""
    titles = [f"title.{name}" for name in MECHANISMS]
    for name in MECHANISMS:
        with suppress(ProblemError):
            Variant(mechanism=name, is_causal=True).build_mechanism()
            titles.append(f"title.causal.{name}")
    lacking = [title for title in titles if title not in ENGLISH]
    assert not lacking, f"in en.toml, and then in all: {', '.join(lacking)}"


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_joins_all_kinds_of_lists(code: str) -> None:
    """The kinds are those that sentences may name."""
    assert set(get_language(code).list_marks) == LIST_KINDS - {""}


def test_what_a_translation_lacks_is_named() -> None:
    """The made-up language lacks one sentence; each way to spoil one is found, by its key."""
    polish = PLURAL_RULES["pl"]
    assert find_faults(ENGLISH, INVENTED_SENTENCES, polish) == [f"{LEFT_OUT}: missing"]
    spoilt = {
        "page": "seite {page}",
        "key": "{code}",
        "head.softmax.columns": "{name}, A^{(1)}",
        "sizes.tokens": "{size} {size:one=a|few=b}",
        "sizes.heads": "{size} {size:one=a|few=b|many=c|other=d}",
        "feedback.right": "{stages:nor}",
        "nobody.asks": "?",
        "page.rows": "{page} {pages}",
    }
    assert find_faults(ENGLISH, {**INVENTED_SENTENCES, **spoilt}, polish) == [
        f"{LEFT_OUT}: missing",
        "head.softmax.columns: invents {(1)}",
        "head.softmax.columns: invents {name}",
        "head.softmax.columns: nothing fills {(1)}: braces that are printed are doubled",
        "sizes.heads: size has no use for 'other'",
        "sizes.tokens: size lacks the form 'many'",
        "page: lacks {pages}",
        "key: invents {code}",
        "feedback.right: no list is joined as 'nor'",
        "nobody.asks: unknown",
    ]


def test_every_sentence_that_is_asked_for_is_there() -> None:
    """Keys that the code names stand in the file, for every convention or mechanism at least."""
    places = find_keys_in_code()
    assert len(places) > 150
    assert {key: place for key, place in places.items() if not is_known(key, ENGLISH)} == {}
    assert not is_known("nothing of the kind", ENGLISH)


def test_every_sentence_is_asked_for() -> None:
    """No key stands in the file that nothing in the program, its page or its script can mean."""
    asked = find_asked_keys() | find_instruction_keys()
    assert find_unused_keys(ENGLISH, asked) == []
    assert find_unused_keys({"good.by_hand": "by hand", "slip.any": "…", "web.no.such": "…"}, asked) == [
        "good.by_hand",
        "web.no.such",
    ]


def test_slips_are_said_in_the_past() -> None:
    """Each completes "You seem to have …": it begins small and ends without a full stop."""
    slips = [sentence for key, sentence in ENGLISH.items() if key.startswith("slip.")]
    assert len(slips) > 60
    assert [slip for slip in slips if slip[0].isupper() or slip.endswith(".")] == []
