"""What a sheet says of its story: the sentence, what features are called, the question, and its answer on the key."""

from collections.abc import Sequence

from attnhand.attention.matrix import dot, transpose
from attnhand.attention.numbers import Number
from attnhand.attention.story import Story, find_fitting_keys
from attnhand.sheet import sentences
from attnhand.sheet.build_grids import format_sheet_value
from attnhand.sheet.grids import format_vector_label
from attnhand.sheet.sheet import Sheet

WRITING_LINE = 16 * "_"


def format_story_sentences(sheet: Sheet, story: Story, *, is_typed: bool = False) -> tuple[str, ...]:
    """Return what stands before the numbers (markup): the story, its question with room for a guess, a warning.

    Before the warning it is said of whom nothing is there that they look for.

    Args:
        is_typed: there is no paper to write a guess on.
    """
    question = format_story_question(sheet, story)
    if sheet.scene.is_story_open:
        room = sheet.say("practice.guess") if is_typed else f" {WRITING_LINE}"
        question = f"{question} {sheet.say('story.guess')}{room}"
    told = f"{sheet.say('story.head')} {story.sentence}"
    return told, question, *_format_unmet_wants(sheet, story), sheet.say("story.disclaimer")


def _format_unmet_wants(sheet: Sheet, story: Story) -> list[str]:
    """Say for which asked queries no key holds anything of what they look for: one looks most at something, though."""
    scene = sheet.scene
    values = sheet.solution.collect_hand_values()
    tokens = scene.take_vectors(values, "X")
    keys = scene.take_vectors(values, "M") if "M" in values else tokens
    unmet: dict[tuple[str, tuple[int, ...]], list[int]] = {}
    for head, wants in enumerate(story.wants):
        seen = {query: scene.list_visible_keys(query, head) for query in scene.list_choosing_queries(head)}
        unfit = tuple(
            query
            for query, visible in seen.items()
            if not find_fitting_keys(wants, tokens[query], [keys[key] for key in visible])
        )
        wanting = tuple(query for query in unfit if any(dot(want.asks, tokens[query]) > 0 for want in wants))
        wantless = tuple(query for query in unfit if query not in wanting)
        unmet.setdefault(("story.unmet", wanting), []).append(head + 1)
        unmet.setdefault(("story.wantless", wantless), []).append(head + 1)
    texts = []
    for (key, queries), heads in unmet.items():
        words = [f"{sheet.problem.words[query]} ({sentences.format_query(sheet, query)})" for query in queries]
        where = sheet.say("story.unmet.head", head=heads[0]) if len(heads) < len(story.wants) else ""
        texts += [sheet.say(key, words=words, count=len(words), where=where)] if words else []
    return texts


def format_story_features(sheet: Sheet, story: Story) -> str:
    """Return what features and a memory are called (markup), for where no label says so: Features: 1 sour, 2 sweet."""
    lists = {"story.features": story.feature_names, "story.memory": story.memory_words}
    numbered = {key: [f"{at}\u00a0{name}" for at, name in enumerate(names, 1)] for key, names in lists.items() if names}
    return " ".join(sheet.say(key, names=names) for key, names in numbered.items())


def format_story_question(sheet: Sheet, story: Story) -> str:
    """Return the question (markup), and which query of which head it is about."""
    query = sentences.format_query(sheet, story.query)
    where = sheet.say("story.query.head", query=query, head=story.head) if story.head else query
    return f"{story.question} ({where})"


def build_story_answers(sheet: Sheet, story: Story) -> list[str]:
    """Return the question again in the end, and what the output has most of (markup); with the answers on the key."""
    attention = sheet.problem.mechanism.attentions[max(story.head - 1, 0)]
    answer = like = WRITING_LINE
    if sheet.is_solved:
        weights, words = _get_vector(sheet, attention.weights, story.query), story.memory_words or sheet.problem.words
        found = [words[token] for token in _find_largest(weights)]
        answer = sheet.say("story.answer", words=found, weight=format_sheet_value(sheet, max(weights)))
    texts = [f"{format_story_question(sheet, story)} {answer}"]
    if story.value_names:
        outputs = sheet.problem.mechanism.get_stage(attention.outputs)
        letter = (outputs.rows if sheet.convention.is_rows else outputs.columns).letter
        if sheet.is_solved:
            largest = _find_largest(_get_vector(sheet, attention.outputs, story.query))
            like = sheet.language.list_of([story.value_names[at] for at in largest], "and")
        names = sheet.language.list_of(story.value_names)
        output = format_vector_label(letter, story.query + 1)
        texts.append(sheet.say("story.like", output=output, names=names, answer=like))
    return texts


def _get_vector(sheet: Sheet, stage_name: str, query: int) -> Sequence[Number]:
    """Return the vector of a query (0-based) as the page shows it."""
    hand = sheet.printed_solution[stage_name].hand
    return (hand if sheet.convention.is_rows else transpose(hand))[query]


def _find_largest(numbers: Sequence[Number]) -> list[int]:
    return [at for at, value in enumerate(numbers) if value == max(numbers)]
