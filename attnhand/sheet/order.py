"""What the user asked for, gathered from the options: one value for the sheet, one for the page, one for the files."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from attnhand.attention.arithmetic import EXACT, HAND, Base, Rules, ScaleRule, parse_scale
from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms import Variant
from attnhand.attention.problem import SIZE_LIMITS
from attnhand.errors import AttnhandError, GenerationError
from attnhand.problems.levels import Level
from attnhand.problems.request import Request, draw_seed, format_option_name
from attnhand.sheet.options import PageOptions, Paper

MAX_WORDS = SIZE_LIMITS["tokens"][1]
SIZE_NAMES = ("tokens", "features", "d_k", "d_v", "memory", "hidden")


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetOrder:
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
    def has_embedding(self) -> bool:
        """Say whether words are looked up; positions are added to nothing else."""
        return bool(self.embed or self.positions)

    def split_words(self) -> tuple[str, ...]:
        """Return the words, one for each token.

        Raises:
            GenerationError: there is no word, one is no text, or one is said twice though none is looked up.
        """
        _refuse_undecodable("--words", self.words)
        words = tuple((self.words or "").split())
        if self.words is not None and not words:
            raise GenerationError('--words has no word: give one for each token, such as --words "the cat saw"')
        if len(words) == 1:
            raise GenerationError(f"--words has 1 word: give 2 to {MAX_WORDS}, one for each token")
        if len(words) > MAX_WORDS:
            raise GenerationError(f"--words has {len(words)} words, more than a page holds: give 2 to {MAX_WORDS}")
        twice = next((word for word in words if words.count(word) > 1), None)
        if twice and not self.has_embedding:
            raise GenerationError(
                f"--words says {twice!r} twice, but every token is drawn on its own: "
                "give different words, or --embed, which looks them up"
            )
        return words

    def get_salt(self) -> str:
        """Return the salt, or nothing.

        Raises:
            GenerationError: it is empty, as it is where a shell's variable is not set, or no text.
        """
        if self.salt == "":
            raise GenerationError("--salt is empty, so the sheet would have none: give a text, or leave out --salt")
        _refuse_undecodable("--salt", self.salt)
        return self.salt or ""

    def make_rules(self, default_rules: Rules = HAND) -> Rules:
        """Return the rules that the options ask for, starting from those of the problem."""
        if self.rules:
            default_rules = EXACT if self.rules == "exact" else HAND
        scale: ScaleRule | int = default_rules.scale if self.scale is None else parse_scale(self.scale)
        base = default_rules.base if self.base is None else Base(self.base)
        return Rules(
            scale=scale, base=base, decimals=default_rules.decimals if self.decimals is None else self.decimals
        )

    def make_request(self, seed: int | None) -> Request:
        """Return the request for a seed, or for one that is drawn now."""
        words = self.split_words()
        if self.has_embedding and not words:
            raise GenerationError(
                f"{'--embed' if self.embed else '--positions'} has no words to look up: give --words, such as "
                '--words "the cat saw the dog"'
            )
        sizes = {name: size for name in SIZE_NAMES if (size := getattr(self, name)) is not None}
        if words and sizes.setdefault("tokens", len(words)) != len(words):
            raise GenerationError(
                f"--tokens {sizes['tokens']} and {len(words)} words contradict each other: leave out --tokens"
            )
        return Request(
            seed=draw_seed() if seed is None else seed,
            variant=self.make_variant(words),
            convention=Convention(self.convention or "columns"),
            level=Level(self.level or "standard"),
            size_overrides=tuple(sizes.items()),
            rules=self.make_rules(),
            allow_ties=bool(self.ties),
        )

    def make_variant(self, words: tuple[str, ...]) -> Variant:
        """Return the form of the mechanism that the options ask for."""
        return Variant(
            mechanism=self.mechanism or "self",
            heads=self.heads,
            is_causal=bool(self.causal),
            embedded_words=words if self.has_embedding else (),
            has_positions=bool(self.positions),
        )

    def find_contradiction(self, request: Request) -> str | None:
        """Return the first option that a sheet code contradicts, or None."""
        said = {
            "--mechanism": (self.mechanism, request.variant.mechanism),
            "--level": (self.level, request.level.value),
            "--convention": (self.convention, request.convention.value),
            "--ties": (self.ties, request.allow_ties),
            "--heads": (self.heads, request.variant.head_count),
            "--causal": (self.causal, request.variant.is_causal),
            "--embed": (self.embed, bool(request.variant.embedded_words)),
            "--positions": (self.positions, request.variant.has_positions),
            **{format_option_name(name): (getattr(self, name), request.all_sizes.get(name)) for name in SIZE_NAMES},
        }
        if self.make_rules(request.rules) != request.rules:
            return "an option about the house rules"
        wrong = next(((name, mine) for name, (mine, theirs) in said.items() if mine not in (None, theirs)), None)
        return wrong and (wrong[0] if isinstance(wrong[1], bool) else f"{wrong[0]} {wrong[1]}")

    def find_drawing_option(self) -> str | None:
        """Return the first option that only a drawn sheet has, or None."""
        said = {"--seed": self.seed, "--level": self.level, "--ties": self.ties, "--mechanism": self.mechanism}
        said |= {"--heads": self.heads, "--causal": self.causal, "--embed": self.embed, "--positions": self.positions}
        said |= {format_option_name(name): getattr(self, name) for name in SIZE_NAMES}
        return next((name for name, value in said.items() if value is not None), None)


PAGE_FLAG_NAMES = {name: name for name in ("large_print", "check_sums", "fillable", "self_check")} | {
    "exact_column": "show_exact"
}
PAGE_VALUE_NAMES = {"start": "from_stage", "mistake": "mistake", "stage": "stage"}
"""Options that the page takes as they are, and what it calls them."""


def parse_options(option_values: Mapping[str, Any]) -> tuple[SheetOrder, PageOptions]:
    """Return what the user asked for, from the options by name; those that are left out were not said.

    Queries are counted from 1 on the command line, and from 0 in the page.
    """
    known = {field.name for field in fields(SheetOrder)}
    trace, stages = option_values.get("walk"), option_values.get("blank_stages")
    as_said: dict[str, Any] = {own: option_values.get(name, False) for name, own in PAGE_FLAG_NAMES.items()} | {
        own: option_values.get(name) for name, own in PAGE_VALUE_NAMES.items()
    }
    page = PageOptions(
        only_queries=_parse_queries(option_values.get("queries")),
        paper=Paper(option_values.get("paper") or "a4"),
        language=option_values.get("language") or "en",
        trace=None if trace is None else trace - 1,
        blank_stages=None if stages is None else tuple(name.strip() for name in stages.split(",")),
        **as_said,
    )
    return SheetOrder(**{name: value for name, value in option_values.items() if name in known}), page


def _refuse_undecodable(option: str, text: str | None) -> None:
    """Refuse what the terminal sent as bytes that are no UTF-8, which Python keeps as halves of characters."""
    try:
        (text or "").encode()
    except UnicodeEncodeError:
        raise GenerationError(f"{option} {text!r} holds bytes that are no text: write it in UTF-8") from None


def _parse_queries(text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and len(part) <= 3 for part in parts):
        raise AttnhandError(
            f"--queries {text!r} is no list of queries: write numbers with commas, such as --queries 1,3"
        )
    return tuple(int(part) - 1 for part in parts)
