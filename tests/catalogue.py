"""Looking over the sentences: what a translation lacks or invents, and which keys the program asks for."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Formatter

from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms.registry import MECHANISMS, Variant
from attnhand.problems.reading import read_rules
from attnhand.text.language import PluralRule, parse_plural_forms
from tests.forms import FORMS

PACKAGE = Path(__file__).parents[1] / "attnhand"
TEMPLATES = PACKAGE.parent / "templates"

SCRIPT_PREFIX = "web."
"""Of sentences that the page's script fills in and asks for."""

LIST_KINDS = {"", "list", "and", "or", "slashes", "numbers", "facts", "clauses", "steps"}

_VARIANT = re.compile(rf"\.({'|'.join([*MECHANISMS, *Convention])})$")


def find_placeholders(sentence: str) -> Iterator[tuple[str, str]]:
    """Yield every placeholder with its format, those in plural forms too; softmax_{rows} has none, but an index."""
    for before, name, spec, _ in Formatter().parse(sentence):
        if name is not None and not before.endswith("_"):
            yield name, spec or ""
            yield from find_placeholders(spec or "")


def find_faults(english: Mapping[str, str], other: Mapping[str, str], rule: PluralRule) -> list[str]:
    """Return what is wrong with a language's own sentences, a line a fault, by key."""
    faults = [f"{key}: missing" for key in english if key not in other]
    for key, sentence in other.items():
        base = next((known for known in _list_bases(key) if known in english), None)
        if base is None:
            faults.append(f"{key}: unknown")
            continue
        names, known = ({name for name, _ in find_placeholders(text)} for text in (sentence, english[base]))
        faults += [f"{key}: lacks {{{name}}}" for name in sorted(known - names)]
        faults += [f"{key}: invents {{{name}}}" for name in sorted(names - known)]
        printed = [name for name in names if not name.isidentifier()] if any(map(str.isidentifier, names)) else []
        faults += [f"{key}: nothing fills {{{name}}}: braces that are printed are doubled" for name in printed]
        for name, spec in find_placeholders(sentence):
            if "=" not in spec:
                faults += [] if spec in LIST_KINDS else [f"{key}: no list is joined as {spec!r}"]
                continue
            given = [category for category, _ in parse_plural_forms(spec)]
            faults += [f"{key}: {name} lacks the form {c!r}" for c in rule.categories if c not in given]
            faults += [f"{key}: {name} has no use for {c!r}" for c in given if c not in rule.categories]
    return faults


def _list_bases(key: str) -> Iterator[str]:
    """Yield a key, then the same without its mechanism or convention."""
    yield key
    while _VARIANT.search(key):
        key = _VARIANT.sub("", key)
        yield key


def find_asked_keys() -> dict[str, str]:
    """Return every text of the package that may be a key, as a pattern, with where it stands.

    ``f"slip.{slip}"`` is asked as any key that begins so.
    """
    asked: dict[str, str] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                asked[re.escape(node.value)] = f"{path.name}:{node.lineno}"
            elif isinstance(node, ast.JoinedStr):
                parts = [re.escape(str(p.value)) if isinstance(p, ast.Constant) else ".+" for p in node.values]
                asked["".join(parts)] = f"{path.name}:{node.lineno}"
    for path in sorted(TEMPLATES.rglob("*.html")):
        for key in re.findall(r"""say\(["']([^"']+)["']""", path.read_text(encoding="utf-8")):
            asked[re.escape(key)] = path.name
    for path in sorted(TEMPLATES.rglob("*.js")):
        for key in re.findall(r"""["'`]((?:[\w.\-]|\$\{[^{}"'`]*\})+)["'`]""", path.read_text(encoding="utf-8")):
            if re.search("[a-z]", re.sub(r"\$\{.*?\}", "", key)):
                asked[SCRIPT_PREFIX.replace(".", r"\.") + re.sub(r"\\\$\\\{.*?\\\}", ".+", re.escape(key))] = path.name
    return asked


def find_instruction_keys() -> dict[str, str]:
    """Return the keys that the stages of all mechanisms ask for, as patterns."""
    asked: dict[str, str] = {}
    windowed, by_radians = Variant(is_causal=True, window=2), Variant(is_rotary=True, has_radians=True)
    for name, form in [*FORMS.items(), ("window", windowed), ("radians", by_radians)]:
        for rule in ({"scale": "half-floor"}, {"scale": "none"}, {"scale": "sqrt"}, {"scale": 4}, {"base": "e"}):
            rules = read_rules(rule)
            for stage in form.build_mechanism(feature_count=2).stages:
                asked[re.escape(f"{stage.topic}.{stage.choose_instruction_key(rules)}")] = name
    return asked


def find_keys_in_code() -> dict[str, str]:
    """Return the keys that the package names where it asks for a sentence, with where."""
    places: dict[str, str] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args and _is_asking(node.func):
                places |= dict.fromkeys(_list_constants(node.args[0]), f"{path.name}:{node.lineno}")
    return places


def _list_constants(key: ast.expr) -> list[str]:
    """Return the texts that an argument may be: one, or one of two."""
    if isinstance(key, ast.IfExp):
        return [*_list_constants(key.body), *_list_constants(key.orelse)]
    return [key.value] if isinstance(key, ast.Constant) and isinstance(key.value, str) else []


def _is_asking(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in ("say", "Message")


def is_known(key: str, sentences: Mapping[str, str]) -> bool:
    """Say whether there is such a sentence, or one for every convention or mechanism."""
    return any(key in _list_bases(known) for known in sentences)


def find_unused_keys(sentences: Mapping[str, str], asked: Mapping[str, str]) -> list[str]:
    """Return the keys that nothing in the package can mean."""
    # patterns of no letters, such as that of f"{key}.{convention}", fit everything
    patterns = {text for text in asked if re.search("[a-z]{2}", text.replace(".+", ""))}
    open_ones = re.compile("|".join(f"(?:{text})" for text in patterns if ".+" in text))

    def is_asked(key: str) -> bool:
        return re.escape(key) in patterns or open_ones.fullmatch(key) is not None

    return [key for key in sentences if not any(map(is_asked, _list_bases(key)))]
