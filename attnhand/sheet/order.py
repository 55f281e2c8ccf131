"""What the user asked for, gathered from the options: one value for the sheet, one for the page, one for the files."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from attnhand.attention.arithmetic import EXACT, HAND, Base, Rules, Scale, parse_scale
from attnhand.attention.mechanisms import Convention, Form
from attnhand.attention.problem import SIZE_LIMITS
from attnhand.errors import AttnhandError, GenerationError
from attnhand.problems.levels import Level
from attnhand.problems.request import Request, drawn_seed, option_name
from attnhand.sheet.options import PageOptions, Paper

MOST_WORDS = SIZE_LIMITS["tokens"][1]
SIZES = ("tokens", "features", "d_k", "d_v", "memory", "hidden")


@dataclass(frozen=True, slots=True, kw_only=True)
class What:
    """The options about the problem; None where the user said nothing."""

    seed: int | None = None
    mechanism: str | None = None
    level: str | None = None
    tokens: int | None = None
    features: int | None = None
    d_k: int | None = None
    d_v: int | None = None
    memory: int | None = None
    hidden: int | None = None
    heads: int | None = None
    causal: bool | None = None
    embed: bool | None = None
    positions: bool | None = None
    words: str | None = None
    convention: str | None = None
    rules: str | None = None
    scale: str | None = None
    base: str | None = None
    decimals: int | None = None
    ties: bool | None = None
    salt: str | None = None
    title: str | None = None

    @property
    def embeds(self) -> bool:
        """Say whether words are looked up; positions are added to nothing else."""
        return bool(self.embed or self.positions)

    def word_list(self) -> tuple[str, ...]:
        """Return the words, one for each token.

        Raises:
            GenerationError: there is no word, one is no text, or one is said twice though none is looked up.
        """
        _refuse_bytes("--words", self.words)
        words = tuple((self.words or "").split())
        if self.words is not None and not words:
            raise GenerationError('--words has no word: give one for each token, such as --words "the cat saw"')
        if len(words) == 1:
            raise GenerationError(f"--words has 1 word: give 2 to {MOST_WORDS}, one for each token")
        if len(words) > MOST_WORDS:
            raise GenerationError(f"--words has {len(words)} words, more than a page holds: give 2 to {MOST_WORDS}")
        twice = next((word for word in words if words.count(word) > 1), None)
        if twice and not self.embeds:
            raise GenerationError(
                f"--words says {twice!r} twice, but every token is drawn on its own: "
                "give different words, or --embed, which looks them up"
            )
        return words

    def secret(self) -> str:
        """Return the salt, or nothing.

        Raises:
            GenerationError: it is empty, as it is where a shell's variable is not set, or no text.
        """
        if self.salt == "":
            raise GenerationError("--salt is empty, so the sheet would have none: give a text, or leave out --salt")
        _refuse_bytes("--salt", self.salt)
        return self.salt or ""

    def house_rules(self, start: Rules = HAND) -> Rules:
        """Return the rules that the options ask for, starting from those of the problem."""
        if self.rules:
            start = EXACT if self.rules == "exact" else HAND
        scale: Scale | int = start.scale if self.scale is None else parse_scale(self.scale)
        base = start.base if self.base is None else Base(self.base)
        return Rules(scale=scale, base=base, decimals=start.decimals if self.decimals is None else self.decimals)

    def request(self, seed: int | None) -> Request:
        """Return the request for a seed, or for one that is drawn now."""
        words = self.word_list()
        if self.embeds and not words:
            raise GenerationError(
                f"{'--embed' if self.embed else '--positions'} has no words to look up: give --words, such as "
                '--words "the cat saw the dog"'
            )
        sizes = {name: size for name in SIZES if (size := getattr(self, name)) is not None}
        if words and sizes.setdefault("tokens", len(words)) != len(words):
            raise GenerationError(
                f"--tokens {sizes['tokens']} and {len(words)} words contradict each other: leave out --tokens"
            )
        return Request(
            seed=drawn_seed() if seed is None else seed,
            form=self.form(words),
            convention=Convention(self.convention or "columns"),
            level=Level(self.level or "standard"),
            sizes=tuple(sizes.items()),
            rules=self.house_rules(),
            ties=bool(self.ties),
        )

    def form(self, words: tuple[str, ...]) -> Form:
        """Return the form of the mechanism that the options ask for."""
        return Form(
            mechanism=self.mechanism or "self",
            heads=self.heads,
            causal=bool(self.causal),
            embedded=words if self.embeds else (),
            positions=bool(self.positions),
        )

    def contradiction(self, request: Request) -> str | None:
        """Return the first option that a sheet code contradicts, or None."""
        said = {
            "--mechanism": (self.mechanism, request.form.mechanism),
            "--level": (self.level, request.level.value),
            "--convention": (self.convention, request.convention.value),
            "--ties": (self.ties, request.ties),
            "--heads": (self.heads, request.form.number_of_heads),
            "--causal": (self.causal, request.form.causal),
            "--embed": (self.embed, bool(request.form.embedded)),
            "--positions": (self.positions, request.form.positions),
            **{option_name(name): (getattr(self, name), request.all_sizes.get(name)) for name in SIZES},
        }
        if self.house_rules(request.rules) != request.rules:
            return "an option about the house rules"
        wrong = next(((name, mine) for name, (mine, theirs) in said.items() if mine not in (None, theirs)), None)
        return wrong and (wrong[0] if isinstance(wrong[1], bool) else f"{wrong[0]} {wrong[1]}")

    def drawing_option(self) -> str | None:
        """Return the first option that only a drawn sheet has, or None."""
        said = {"--seed": self.seed, "--level": self.level, "--ties": self.ties, "--mechanism": self.mechanism}
        said |= {"--heads": self.heads, "--causal": self.causal, "--embed": self.embed, "--positions": self.positions}
        said |= {option_name(name): getattr(self, name) for name in SIZES}
        return next((name for name, value in said.items() if value is not None), None)


FLAGS = ("large_print", "exact_column", "check_sums", "fillable", "self_check")
NAMES = ("start", "mistake", "stage")
"""Options that the page takes as they are."""


def gathered(chosen: Mapping[str, Any]) -> tuple[What, PageOptions]:
    """Return what the user asked for, from the options by name; those that are left out were not said.

    Queries are counted from 1 on the command line, and from 0 in the page.
    """
    known = {field.name for field in fields(What)}
    walk, stages = chosen.get("walk"), chosen.get("blank_stages")
    as_said: dict[str, Any] = {name: chosen.get(name, False) for name in FLAGS} | {n: chosen.get(n) for n in NAMES}
    page = PageOptions(
        queries=_query_list(chosen.get("queries")),
        paper=Paper(chosen.get("paper") or "a4"),
        language=chosen.get("language") or "en",
        walk=None if walk is None else walk - 1,
        blank_stages=None if stages is None else tuple(name.strip() for name in stages.split(",")),
        **as_said,
    )
    return What(**{name: value for name, value in chosen.items() if name in known}), page


def _refuse_bytes(option: str, text: str | None) -> None:
    """Refuse what the terminal sent as bytes that are no UTF-8, which Python keeps as halves of characters."""
    try:
        (text or "").encode()
    except UnicodeEncodeError:
        raise GenerationError(f"{option} {text!r} holds bytes that are no text: write it in UTF-8") from None


def _query_list(text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and len(part) <= 3 for part in parts):
        raise AttnhandError(
            f"--queries {text!r} is no list of queries: write numbers with commas, such as --queries 1,3"
        )
    return tuple(int(part) - 1 for part in parts)
