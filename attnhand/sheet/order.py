"""What the user asked for, from options by name: one value for the problem, one for the page."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, Unpack, get_type_hints

from attnhand.attention.arithmetic import EXACT, HAND, Base, Rules, parse_scale
from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms import MECHANISMS, Variant
from attnhand.attention.mechanisms.settings import SETTINGS, NormPlace, SettingError
from attnhand.attention.problem import SIZE_LIMITS, Problem
from attnhand.errors import AttnhandError, GenerationError, list_choices, name_option
from attnhand.problems.carrying import read_carried, write_form
from attnhand.problems.levels import Level
from attnhand.problems.model_parts import find_part
from attnhand.problems.reading import DISTANCE, ROTARY, SINUSOIDAL, name_positions
from attnhand.problems.request import Request, draw_seed, make_part_request, make_story_request
from attnhand.problems.salt import stretch_salt
from attnhand.sheet.option_table import PageArguments, ProblemOptions, list_declared, list_examples
from attnhand.sheet.options import PageOptions
from attnhand.system.field_types import convert_values

if TYPE_CHECKING:
    from attnhand.problems.story_template import StoryTemplate

DEFAULT_MECHANISM = "self"
MAX_WORDS = SIZE_LIMITS["tokens"][1]

ANY_STORY = "any"
"""A story that the seed draws."""

OPTION_NAMES_BY_SIZE = {size: size for size in ("tokens", "features", "d_k", "d_v", "hidden", "vocabulary")} | {
    "memory": "memory_length"
}
"""Sizes that can be chosen, and the options for them."""


@dataclass(frozen=True, slots=True, init=False)
class SheetOrder:
    """What is asked for of the problem.

    >>> SheetOrder(tokens=4, level="Warm-up", causal=None)
    SheetOrder(given={'tokens': 4, 'level': 'warm-up'})
    """

    given: ProblemOptions
    """By the names of options; what the user said nothing of is missing."""

    def __init__(self, **given: Unpack[ProblemOptions]) -> None:
        said = {name: value for name, value in given.items() if value is not None}
        if isinstance(said.get("positions"), bool):
            said["positions"] = SINUSOIDAL if said["positions"] else None
            said = {name: value for name, value in said.items() if value is not None}
        kinds = {**_list_kinds(), "mechanism": Literal[tuple(MECHANISMS)]}  # of those that are registered now
        kinds["positions"] = Literal[SINUSOIDAL, ROTARY, DISTANCE]
        if isinstance(begin_with := said.get("begin_with"), str):
            said["begin_with"] = tuple(name.strip() for name in begin_with.split(","))
        if isinstance(carry := said.get("carry"), str):
            said["carry"] = tuple(name.strip() for name in carry.split(","))
        if isinstance(part := said.get("part"), str):
            said["part"] = tuple(name.strip() for name in part.split(","))
        if isinstance(padding := said.get("padding"), str):
            said["padding"] = _parse_numbers("padding", padding)
        converted = convert_values(said, kinds, GenerationError, list_examples(ProblemOptions))
        if "begin_with" in converted and not (converted["begin_with"] and all(converted["begin_with"])):
            option, example = name_option("begin_with"), name_option("begin_with", "Q,K,V")
            raise GenerationError(f"{option} lacks a name: write those of stages with commas, such as {example}")
        if "part" in converted and not converted["part"]:
            raise GenerationError(
                f"{name_option('part')} names no part: give one, such as {name_option('part', 'head-1')}"
            )
        object.__setattr__(self, "given", converted)

    def __getattr__(self, name: str) -> Any:
        """Return what is given for an option, by its name; None where the user said nothing."""
        if name not in ProblemOptions.__annotations__:
            raise AttributeError(f"there is no option {name!r} about the problem")
        return self.given.get(name)

    def change(self, **changes: Unpack[ProblemOptions]) -> "SheetOrder":
        """Return the order with other options; None takes one back.

        >>> SheetOrder(seed=7, tokens=4).change(tokens=None, words=["the", "cat"])
        SheetOrder(given={'seed': 7, 'words': ('the', 'cat')})
        """
        given: ProblemOptions = {**self.given, **changes}
        return SheetOrder(**given)

    @property
    def has_embedding(self) -> bool:
        """Say whether words are looked up; sines and cosines are added to nothing else."""
        return bool(self.embed or self.positions == SINUSOIDAL)

    def list_words(self) -> tuple[str, ...]:
        """Return the words as they were given, unchecked."""
        return tuple(self.words.split()) if isinstance(self.words, str) else self.words or ()

    def check_words(self) -> tuple[str, ...]:
        """Return the words, one for each token; empty where none were given.

        Raises:
            GenerationError: there is no word, one is no text, or one is said twice though none is looked up.
        """
        words, option = self.list_words(), name_option("words")
        _refuse_undecodable("words", self.words)
        if self.words is not None and not words:
            example = name_option("words", "the cat saw")
            raise GenerationError(f"{option} has no word: give one for each token, such as {example}")
        if len(words) == 1:
            raise GenerationError(f"{option} has 1 word: give 2 to {MAX_WORDS}, one for each token")
        if len(words) > MAX_WORDS:
            raise GenerationError(f"{option} has {len(words)} words, more than a page holds: give 2 to {MAX_WORDS}")
        twice = next((word for word in words if words.count(word) > 1), None)
        if twice and not self.has_embedding:
            raise GenerationError(
                f"{option} says {twice!r} twice, but every token is drawn on its own: "
                f"give different words, or {name_option('embed', value=True)}, which looks them up"
            )
        return words

    def get_salt(self) -> str:
        """Return the salt, stretched, or nothing.

        Raises:
            GenerationError: it is empty, as it is where a shell's variable is not set, soon guessed, or no text.
        """
        if self.salt == "":
            option = name_option("salt")
            raise GenerationError(
                f"{option} is empty, so the sheet would have none: give a text, or leave out {option}"
            )
        _refuse_undecodable("salt", self.salt)
        return stretch_salt(self.salt) if self.salt else ""

    def make_rules(self, default_rules: Rules = HAND) -> Rules:
        """Return the rules that the options ask for, starting from those of the problem."""
        if isinstance(self.rules, Rules):
            default_rules = self.rules
        elif self.rules:
            default_rules = EXACT if self.rules == "exact" else HAND
        scale = parse_scale(self.scale) if isinstance(self.scale, str) else self.scale
        return Rules(
            scale=default_rules.scale if scale is None else scale,
            base=default_rules.base if self.base is None else Base(self.base),
            decimals=default_rules.decimals if self.decimals is None else self.decimals,
        )

    def load_story(self) -> "StoryTemplate | None":
        """Return the story that is named; None where none is, or any.

        Raises:
            AttnhandError: there is no such story, or its file makes no good sheet.
        """
        if self.story in (None, ANY_STORY):
            return None
        from attnhand.problems.story_template import load_story

        return load_story(str(self.story))

    def make_request(self, seed: int | None) -> Request:
        """Return the request for a seed, or for one that is drawn now."""
        if self.story is not None:
            return self._make_story_request(draw_seed() if seed is None else seed)
        if self.part is not None:
            return self._make_part_request(draw_seed() if seed is None else seed)
        words = self.check_words()
        if self.has_embedding and not words:
            option = name_option("embed" if self.embed else "positions", value=True)
            example = name_option("words", "the cat saw the dog")
            raise GenerationError(f"{option} has no words to look up: give {name_option('words')}, such as {example}")
        variant = self.make_variant(words)
        if words and variant.blocks:
            raise GenerationError(
                f"{variant.mechanism} attention has no tokens to name: leave out {name_option('words')}"
            )
        given: Mapping[str, Any] = self.given
        sizes = {size: given[option] for size, option in OPTION_NAMES_BY_SIZE.items() if option in given}
        if words and self.cache is not None and len(words) != self.cache + 1:
            raise GenerationError(
                f"{name_option('cache', self.cache)} and {len(words)} words contradict each other: give "
                f"{self.cache + 1}, the new one last"
            )
        named = "tokens" if variant.has_cache else variant.named_size
        if words and sizes.setdefault(named, len(words)) != len(words):
            raise GenerationError(
                f"{name_option(named, sizes[named])} and {len(words)} words contradict each other: "
                f"leave out {name_option(named)}"
            )
        return Request(
            seed=draw_seed() if seed is None else seed,
            variant=variant,
            convention=Convention(self.convention or Convention.COLUMNS),
            level=Level(self.level or Level.STANDARD),
            size_overrides=tuple(sizes.items()),
            rules=self.make_rules(),
            allow_ties=bool(self.allow_ties),
            query_count=self.query_count,
            carried=read_carried(self.carry or ()),
        )

    def _make_story_request(self, seed: int) -> Request:
        """Return the request for a story, which decides on all that options about the form would."""
        from attnhand.problems.story_draw import check_story, draw_story

        story = self.load_story()
        if story is None:
            return self.tell_story(draw_story(seed, self.list_fitting_stories()), seed)
        request = self.tell_story(story, seed)
        if contradiction := (name_option("words") if self.words else self.find_contradiction(request)):
            raise GenerationError(f"{contradiction} contradicts the story {story.name}: leave out one of them")
        if not story.is_bundled:
            check_story(request)
        return request

    def deal_parts(self) -> "tuple[SheetOrder, ...]":
        """Return an order for each of the parts that are dealt to a class in turn; itself alone where none are.

        >>> [order.part for order in SheetOrder(part="head-1, head-2").deal_parts()]
        [('head-1',), ('head-2',)]
        """
        return tuple(self.change(part=(name,)) for name in self.part or ()) or (self,)

    def _make_part_request(self, seed: int) -> Request:
        """Return the request for a part of a whole language model, which decides on all that options about it would.

        Raises:
            GenerationError: there is no such part, several are named, or an option contradicts it.
        """
        if len(self.part) > 1:
            raise GenerationError(
                f"{name_option('part', self.part)} deals several parts out to a class, one to each student: name one "
                "of them, or use attnhand class"
            )
        request = make_part_request(
            find_part(self.part[0]),
            seed,
            convention=Convention(self.convention or Convention.COLUMNS),
            level=Level(self.level or Level.STANDARD),
            rules=self.make_rules(),
            temperature=self.list_settings().get("temperature"),
        )
        if contradiction := (name_option("words") if self.words else self.find_contradiction(request)):
            raise GenerationError(
                f"{contradiction} contradicts {name_option('part', self.part)}: leave out one of them"
            )
        return request

    def tell_story(self, story: "StoryTemplate", seed: int) -> Request:
        """Return the request for a story, with rules, convention and queries as they are asked for."""
        convention = Convention(self.convention or Convention.COLUMNS)
        rules = self.make_rules()
        return make_story_request(story, seed, convention=convention, rules=rules, query_count=self.query_count)

    def list_fitting_stories(self) -> "tuple[StoryTemplate, ...]":
        """Return the stories that come with the program and that no option contradicts.

        Raises:
            GenerationError: there is none.
        """
        from attnhand.problems.story_template import DRAWN_BY_RECIPE_1, read_bundled_story

        refused: dict[str, None] = {}
        fitting = []
        for story in map(read_bundled_story, DRAWN_BY_RECIPE_1):
            contradiction = name_option("words") if self.words else self.find_contradiction(self.tell_story(story, 0))
            if contradiction is None:
                fitting.append(story)
            else:
                refused[contradiction] = None
        if not fitting:
            remedy = f"leave out {list_choices([*refused, name_option('story')])}"
            raise GenerationError(f"no story goes with {' and '.join(refused)}: {remedy}")
        return tuple(fitting)

    def make_variant(self, words: tuple[str, ...]) -> Variant:
        """Return the form of the mechanism that the options ask for."""
        return Variant(
            mechanism=self.mechanism or DEFAULT_MECHANISM,
            heads=self.heads,
            kv_heads=self.kv_heads,
            is_causal=bool(self.causal),
            window=self.window,
            embedded_words=words if self.has_embedding else (),
            has_positions=self.positions == SINUSOIDAL,
            is_rotary=self.positions == ROTARY,
            has_distances=self.positions == DISTANCE,
            begins_with=self.begin_with or (),
            padding=self.padding or (),
            **self.list_settings(),
        )

    def list_settings(self) -> dict[str, Any]:
        """Return what options say of a form in one word each, by the fields of forms.

        Raises:
            GenerationError: one says what it cannot have.
        """
        given: Mapping[str, Any] = self.given
        said: dict[str, Any] = {}
        for setting in SETTINGS:
            if setting.name in given:
                try:
                    said[setting.field] = setting.read(given[setting.name])
                except SettingError as error:
                    raise GenerationError(f"{name_option(setting.name, given[setting.name])}: {error}") from None
        return said

    def change_problem(self, problem: Problem) -> Problem:
        """Return somebody's own problem by the rules, the padding and the largest that the options ask for."""
        variant = replace(
            problem.variant,
            padding=problem.variant.padding if self.padding is None else self.padding,
            **self.list_settings(),
        )
        return replace(problem, variant=variant, rules=self.make_rules(problem.rules))

    def find_contradiction(self, request: Request) -> str | None:
        """Return the first option that a request contradicts, as a message names it, or None."""
        if self.story not in (None, ANY_STORY) and self.load_story() != request.story:
            return name_option("story", self.story)
        if self.story == ANY_STORY and request.story is None:
            return name_option("story")
        if self.make_rules(request.rules) != request.rules:
            return "an option about the house rules"
        has_places = bool(request.story and request.story.places)
        values_of_code: Mapping[str, Any] = {
            "mechanism": request.variant.mechanism,
            "level": request.level.value,
            "convention": request.convention.value,
            "allow_ties": request.allow_ties,
            "heads": request.variant.head_count,
            "kv_heads": request.variant.kv_head_count,
            "causal": request.variant.is_causal or request.variant.has_cache,  # where it hides nothing more
            "window": request.variant.window,
            "embed": bool(request.variant.embedded_words) or has_places,
            "begin_with": request.variant.begins_with or None,
            "query_count": request.query_count,
            "part": self.part if request.part in (self.part or ()) else (request.part,) if request.part else None,
            "padding": request.variant.padding,
            "carry": tuple(map(write_form, request.carried)) or None,
            "positions": name_positions(request.variant) or (SINUSOIDAL if has_places else None),
            **{option: request.all_sizes.get(size) for size, option in OPTION_NAMES_BY_SIZE.items()},
        }
        for name, value in values_of_code.items():
            if (own := getattr(self, name)) not in (None, value):
                return name_option(name, own)
        usual = {"norm_place": NormPlace.BEFORE} if request.variant.is_normed_before else {}
        settings = {name: value for name, value in self.list_settings().items() if usual.get(name) != value}
        for setting in SETTINGS:
            if settings.get(setting.field, value := getattr(request.variant, setting.field)) != value:
                return name_option(setting.name, getattr(self, setting.name))
        return None

    def find_drawing_option(self) -> str | None:
        """Return the first option that only a drawn sheet has, as a message names it, or None."""
        names = (option.name for option in list_declared(ProblemOptions) if option.is_for_drawn_sheets)
        return next((name_option(name) for name in names if name in self.given), None)


def parse_options(option_values: Mapping[str, Any]) -> tuple[SheetOrder, PageOptions]:
    """Return what the user asked for, from the options by name; None or False if left out."""
    return parse_order(option_values), parse_page(option_values)


def parse_order(option_values: Mapping[str, Any]) -> SheetOrder:
    """Return what the user asked for of the problem.

    >>> parse_order({"tokens": 4, "embed": False, "pdf": True}) == SheetOrder(tokens=4)
    True
    """
    return SheetOrder(**_select_given(option_values, ProblemOptions))


def parse_page(option_values: Mapping[str, Any], base: PageOptions | None = None) -> PageOptions:
    """Return what the user asked for of the page.

    >>> parse_page({"only_queries": "1, 3", "blank_stages": "A,Z"}).blank_stages
    ('A', 'Z')

    Args:
        base: where nothing else is asked for.
    """
    given = _select_given(option_values, PageArguments)
    if isinstance(queries := given.get("only_queries"), str):
        given["only_queries"] = _parse_numbers("only_queries", queries)
    if isinstance(stages := given.get("blank_stages"), str):
        given["blank_stages"] = tuple(name.strip() for name in stages.split(","))
    return replace(base or PageOptions(), **given)


@cache
def _list_kinds() -> Mapping[str, Any]:
    return get_type_hints(ProblemOptions, localns={"Rules": Rules})


def _select_given(option_values: Mapping[str, Any], declaration: Any) -> Any:
    return {
        name: str(value) if isinstance(value, str) else value
        for name, value in option_values.items()
        if name in declaration.__annotations__ and value is not None and value is not False
    }


def _refuse_undecodable(option_name: str, text: str | tuple[str, ...] | None) -> None:
    """Refuse what the terminal sent as bytes that are no UTF-8, which Python keeps as halves of characters."""
    try:
        (text if isinstance(text, str) else " ".join(text or ())).encode()
    except UnicodeEncodeError:
        raise GenerationError(
            f"{name_option(option_name)} {text!r} holds bytes that are no text: write it in UTF-8"
        ) from None


def _parse_numbers(option: str, numbers: str) -> tuple[int, ...]:
    """Read the numbers of queries, or tokens, as they are typed: "1,3"."""
    parts = [part.strip() for part in numbers.split(",")]
    if not all(part.isascii() and part.isdigit() and len(part) <= 3 for part in parts):
        what = "queries" if option == "only_queries" else "tokens"
        raise AttnhandError(
            f"{name_option(option)} {numbers!r} is no list of {what}: write numbers with commas, "
            f"such as {name_option(option, [1, 3])}"
        )
    return tuple(int(part) for part in parts)
