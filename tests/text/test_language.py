"""How languages count, list, write decimals and fill their sentences; what a missing one leaves."""

import pickle
from pathlib import Path

import pytest

import attnhand
from attnhand.attention.spellings import read_number
from attnhand.errors import AnswerError, NumberError
from attnhand.formats.sources import make_sheet_from_data
from attnhand.sheet.options import PageOptions
from attnhand.sheet.order import SheetOrder
from attnhand.text import LANGUAGES, Message, find_message, get_language
from attnhand.text.language import PLURAL_RULES, SentenceError, read_story_words
from attnhand.text.widths import parse_markup
from tests.languages import INVENTED_SENTENCES, write_file

CLDR_EXAMPLES = {
    "en": {"one": (1,), "other": (0, 2, 5, 11, 21, 101)},
    "de": {"one": (1,), "other": (0, 2, 5, 11, 21, 101)},
    "es": {"one": (1,), "other": (0, 2, 5, 11, 21, 101)},
    "fr": {"one": (0, 1), "other": (2, 5, 11, 21, 101)},
    "pt": {"one": (0, 1), "other": (2, 5, 11, 21, 101)},
    "pl": {"one": (1,), "few": (2, 3, 4, 22, 104), "many": (0, 5, 11, 12, 14, 21, 112, 116)},
    "uk": {"one": (1, 21, 101), "few": (2, 3, 4, 22, 104), "many": (0, 5, 11, 12, 14, 111, 112)},
}
"""Whole numbers by category, from the tables of CLDR 46."""


@pytest.mark.parametrize("code", CLDR_EXAMPLES)
def test_numbers_take_the_categories_of_cldr(code: str) -> None:
    """Every number has the category that CLDR's tables give it."""
    rule = PLURAL_RULES[code]
    assert set(CLDR_EXAMPLES[code]) == set(rule.categories)
    assert {n: rule.choose(n) for numbers in CLDR_EXAMPLES[code].values() for n in numbers} == {
        n: category for category, numbers in CLDR_EXAMPLES[code].items() for n in numbers
    }


def test_every_language_knows_how_it_counts() -> None:
    """A language that is named has a rule for its plurals, and English is there to fall back on."""
    assert "en" in LANGUAGES
    assert set(LANGUAGES) <= set(PLURAL_RULES)


@pytest.mark.parametrize(
    ("tokens", "sentence"),
    [
        (["2"], "q₁ attends most, and equally, to token 2."),
        (["1", "3"], "q₁ attends most, and equally, to tokens 1 and 3."),
        (["1", "3", "4"], "q₁ attends most, and equally, to tokens 1, 3 and 4."),
    ],
)
def test_a_list_is_counted_and_joined(tokens: list[str], sentence: str) -> None:
    """Its length chooses the plural, the sentence says how it is joined."""
    assert get_language("en").format("vet.tie", query="q₁", tokens=tokens) == sentence


def test_one_sentence_counts_several_things() -> None:
    """Each number has its own plural."""
    effort = get_language("en").format("effort", cells=1, products=12, minutes=5)
    assert effort == "1 cell, 12 products, about 5 minutes"


def test_decimals_have_the_mark_of_the_language(invented_language: str) -> None:
    """A point in English, a comma in the made-up language; a true minus in both."""
    assert get_language("en").decimal(-0.577, 2) == "−0.58"
    assert get_language(invented_language).decimal(-0.577, 2) == "−0,58"


def test_a_list_of_decimals_is_no_riddle(invented_language: str) -> None:
    """Where decimals have commas, something else stands between them."""
    assert get_language(invented_language).list_of(["0,5", "0,25", "1"], "numbers") == "0,5; 0,25; 1"


def test_a_missing_sentence_is_said_in_english(invented_language: str) -> None:
    """What the file leaves out falls back, key by key."""
    assert "practice.first" not in INVENTED_SENTENCES
    assert get_language(invented_language).format("practice.first") == "This is the first row."


def test_what_no_language_has_is_a_mistake_of_ours() -> None:
    """An unknown key raises; nothing is printed in its place."""
    with pytest.raises(KeyError):
        get_language("en").format("nothing of the kind")


@pytest.mark.parametrize(
    ("sentence", "why"),
    [("{page} of A^{(1)}", "nothing fills {(1)} among page, pages"), ("{page} of A_{12}", ""), ("{page} of A_{", "")],
)
def test_braces_that_nothing_fills_are_named(
    sentence: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the key of the sentence and its language, with what to write instead; and that is printed."""
    for name, text in (("wrong", sentence), ("right", "A^{{(1)}}, {page}")):
        write_file(tmp_path / f"{name}.toml", {**INVENTED_SENTENCES, "page": text})
        monkeypatch.setitem(LANGUAGES, name, str(tmp_path / f"{name}.toml"))
        monkeypatch.setitem(PLURAL_RULES, name, PLURAL_RULES["en"])
    with pytest.raises(SentenceError) as refused:
        get_language("wrong").format("page", page=1, pages=3)
    assert str(refused.value).startswith(f"page in wrong: {why}")
    assert str(refused.value).endswith(": braces that are to be printed are doubled, A^{{(1)}}")
    assert get_language("right").format("page", page=1, pages=3) == "A^{(1)}, 1"
    get_language.cache_clear()


def test_an_error_carries_its_sentence_into_every_language(invented_language: str) -> None:
    """As text it is English; a report asks for it in its own language, nested ones too, also from another process."""
    error = AnswerError(Message("match.more", owners=["Ada", "Bob"], count=2))
    assert str(error) == "Ada, Bob and 2 more"
    assert f"sara.csv: {error}" == "sara.csv: Ada, Bob and 2 more"
    sent = pickle.loads(pickle.dumps(error))
    assert get_language(invented_language).translate(sent) == "‹Ada, Bob and 2 more›"
    outer = Message("grade.remark.unmatched", reason=find_message(sent))
    assert get_language(invented_language).translate(outer) == "‹matches nobody: ‹Ada, Bob and 2 more››"
    assert get_language(invented_language).translate(ValueError("as it is")) == "as it is"


@pytest.mark.parametrize("answer", ["1,234", "1-Mar", "x y", "²", "1/0", "1" * 121])
def test_a_number_that_cannot_be_read_says_so_in_every_language(answer: str, invented_language: str) -> None:
    """The one that is raised is of the file of sentences, too."""
    with pytest.raises(NumberError) as refused:
        read_number(answer)
    message = find_message(refused.value)
    assert isinstance(message, Message)
    assert message.key.startswith("number.")
    assert get_language(invented_language).translate(refused.value) == f"‹{refused.value}›"


def test_variables_stay_italic_before_a_space_that_does_not_break() -> None:
    """French sets one before its colons and question marks."""
    runs = parse_markup("Une case de K\u00a0: que vaut Z\u00a0? V = W_V X\u00a0; a\u00a0X")
    assert [run.text.strip() for run in runs if run.is_italic] == ["K", "Z", "V", "W", "X", "X"]


def test_words_of_one_letter_stay_with_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are no variables; matrices are, and what stands between asterisks; choices are typed as they stand."""
    sentences = {
        "key": "Z kolumny i w wierszu, z {cell}",
        "page": "*A* i Z, *e* i 3",
        "choice.weights.also": "A i Z",
        "formula.relu": "a i {input}",
    }
    write_file(tmp_path / "pl.toml", sentences)
    text = (tmp_path / "pl.toml").read_text(encoding="utf-8")
    (tmp_path / "pl.toml").write_text(text.replace("[language]", '[language]\nsmall_words = "aiowz"'), encoding="utf-8")
    monkeypatch.setitem(LANGUAGES, "pl", str(tmp_path / "pl.toml"))
    get_language.cache_clear()
    found = get_language("pl").sentences
    assert found["key"] == "Z\u00a0kolumny i\u00a0w\u00a0wierszu, z\u00a0{cell}"
    assert [run.text.strip() for run in parse_markup(found["key"]) if run.is_italic] == []
    assert [run.text.strip() for run in parse_markup(found["page"]) if run.is_italic] == ["A", "Z", "e"]
    assert (found["choice.weights.also"], found["formula.relu"]) == ("A i Z", "a i {input}")
    get_language.cache_clear()


def test_stories_stand_after_the_sentences(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A story is told in the words of the language's file, with the numbers and the code that it has in English."""
    write_file(tmp_path / "pl.toml")
    with (tmp_path / "pl.toml").open("a", encoding="utf-8") as file:
        file.write('\n[stories.dog]\nwords = { dog = "pies", man = "pan" }\nfeatures = { verb = "czasownik" }\n')
        file.write('sentence = "Gazeta: „{tokens}”."\nquestion = "Dokąd patrzy „{asks}”?"\n')
    monkeypatch.setitem(LANGUAGES, "pl", str(tmp_path / "pl.toml"))
    get_language.cache_clear()
    read_story_words.cache_clear()
    english, polish = (attnhand.generate(7, story="dog", language=code) for code in ("en", "pl"))
    assert (polish.code, polish.problem.given) == (f"{english.code}+PL", english.problem.given)
    assert "pies" in polish.problem.words
    assert polish.problem.story
    assert polish.problem.story.sentence == f"Gazeta: „{' '.join(polish.problem.words)}”."
    again = make_sheet_from_data(polish.to_dict(), "dog.json", "", SheetOrder(), PageOptions()).sheet
    assert (again.code, again.problem.words) == (polish.code, polish.problem.words)
    get_language.cache_clear()
    read_story_words.cache_clear()
