"""The web page: one file that needs nothing else, that anybody can read, and that no title can turn into another."""

import base64
import hashlib
import re
from fractions import Fraction
from functools import cache

import pytest

from attnhand.api import generate
from attnhand.attention.convention import Convention
from attnhand.formats.html import render_html
from attnhand.formats.notebook import render_notebook
from attnhand.sheet.grids import GridStyle
from attnhand.sheet.make import make_sheet_from_problem
from attnhand.sheet.options import PageOptions
from attnhand.sheet.panels import build_panels
from tests.breadth import choose, pair_up
from tests.building import CLASSIC, make_problem, transpose_given
from tests.formats.hostile import HOSTILE_TEXTS
from tests.oracle import solve_by_hand_in_columns, solve_by_hand_in_rows
from tests.pages.geometry import count_printed_cells, list_question_names, list_stage_cells
from tests.pages.reading import Element, HtmlPage, parse_html, read_number
from tests.pages.sheets import KINDS, change_answers, get_html, get_sheet

NAMES = choose([name for name in KINDS[::2] if "12" not in name], KINDS)
"""How boxes lie is looked at elsewhere, and laying out takes longest."""

FACES = pytest.mark.parametrize(("name", "solved"), pair_up(NAMES, (False, True)))
ALL = pytest.mark.parametrize("name", NAMES)

MARKUP = [text for text in HOSTILE_TEXTS if {*text} & {*"<>&{}"}]
"""Texts that may end an element, a reference or a template."""

TAGS = {
    "html",
    "head",
    "meta",
    "title",
    "style",
    "body",
    "main",
    "section",
    "div",
    "h1",
    "h2",
    "h3",
    "p",
    "b",
    "sub",
    "sup",
}
TAGS |= {"span", "i", "br", "table", "tr", "th", "td", "svg", "path", "text"}
ATTRIBUTES = {"lang", "charset", "http-equiv", "content", "name", "class", "id", "scope", "aria-label"}
ATTRIBUTES |= {"x", "y", "font-size", "font-weight", "font-family"}
ATTRIBUTES |= {"viewbox", "fill", "stroke", "d", "role", "tabindex", "data-field", "data-note", "data-label"}

SCRIPT_TAGS, SCRIPT_ATTRIBUTES = {"script", "noscript", "header"}, {"type"}
"""What a blank page has besides: one script that makes it a web sheet, and what that is told."""


@cache
def read_page(name: str, solved: bool) -> HtmlPage:
    """Return the web page of a sheet, parsed."""
    return parse_html(get_html(name, solved))


# nothing but itself


@FACES
def test_the_page_needs_nothing_else(name: str, solved: bool) -> None:
    """No link, picture, frame, form or style attribute, on the key no script; the only addresses are those of fonts."""
    page = read_page(name, solved)
    assert {element.tag for element in page.root.find_all()} <= (TAGS if solved else TAGS | SCRIPT_TAGS)
    attributes = {name for element in page.root.find_all() for name in element.attributes}
    assert attributes <= (ATTRIBUTES if solved else ATTRIBUTES | SCRIPT_ATTRIBUTES)
    assert not re.search(r"https?:|file:|ftp:|javascript:|@import|//", _without_fonts(get_html(name, solved)))
    style = page.root.find_first("style").text
    assert re.findall(r"url\((.{24})", style) == ['"data:font/woff2;base64,'] * 4


def _without_fonts(document: str) -> str:
    """Leave out what is base64, in which two slashes mean nothing: the fonts and the style's hash."""
    return re.sub(r'url\("data:font/woff2;base64,[A-Za-z0-9+/=]+"\)|sha256-[A-Za-z0-9+/=]+', "", document)


@FACES
def test_its_policy_allows_nothing_but_its_style(name: str, solved: bool) -> None:
    """Everything is forbidden but the one style element and a blank page's one script, by their hashes, and fonts."""
    page = read_page(name, solved)
    (policy,) = (m["content"] for m in page.root.find_all("meta") if m.attributes.get("http-equiv"))
    (style,) = page.root.find_all("style")
    scripts = [script for script in page.root.find_all("script") if script["type"] != "application/json"]
    assert len(scripts) == (0 if solved else 1)
    assert dict(part.split(" ", 1) for part in policy.split("; ")) == {
        "default-src": "'none'",
        "style-src": f"'{_hash(style)}'",
        "font-src": "data:",
        **({} if solved else {"script-src": f"'{_hash(scripts[0])}'"}),
        "base-uri": "'none'",
        "form-action": "'none'",
    }


def _hash(element: Element) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(element.text.encode()).digest()).decode()}"


@ALL
def test_a_blank_page_holds_nothing_hidden(name: str) -> None:
    """No comment, no data attribute, no text in a cell to fill or to copy; the worked cell alone is given."""
    page = read_page(name, False)
    assert page.comments == []
    cells = list(page.root.find_all("td"))
    assert not [cell for cell in cells if "answer" in cell.classes]
    blank = [cell for cell in cells if "blank" in cell.classes]
    answer_names = [cell["id"] for cell in blank if cell["id"].startswith("ask")]
    sheet = get_sheet(name).blank
    assert answer_names == list_question_names(sheet)
    printed = count_printed_cells(sheet)
    given = len([cell for cell in cells if "given" in cell.classes and "id" in cell.attributes])
    assert given - printed in (0, 1)
    variant = sheet.problem.variant  # a norm is no product, nor is what follows scores before their weights are known
    works_no_product_first = variant.is_normed_before or "S" in variant.begins_with
    assert given - printed == 1 or sheet.options.blank_stages or sheet.options.fade or works_no_product_first
    assert len(blank) - len(answer_names) == sheet.answer_cell_count - (given - printed)
    copies = [c for table in page.root.find_all("table") if "copy" in table.classes for c in table.find_all("td")]
    factors = [panel.side_factor for panel in build_panels(sheet).list_panels() if panel.side_factor] + [
        p.query_factor for p in build_panels(sheet).list_panels() if p.query_factor
    ]
    known = any(grid.style is GridStyle.COPY and grid.cells[0][0].number for grid in factors)
    for cell in blank:
        exact = [each for each in cell.find_all("span") if "exact" in each.classes]
        assert not exact or sheet.options.show_exact
        assert cell.text == "".join(each.text for each in exact)
        assert cell.children == exact
    assert (
        bool([cell for cell in copies if cell.text and "given" not in cell.classes]) <= bool(factors and known)
        or sheet.options.trace is not None
    )


@pytest.mark.parametrize("convention", Convention)
def test_the_key_shows_the_numbers_of_the_oracle(convention: Convention) -> None:
    """Every cell of every stage of the classic, read back from the page, is what independent code computes."""
    columns = convention is Convention.COLUMNS
    given = CLASSIC if columns else transpose_given(CLASSIC)
    page = parse_html(render_html(make_sheet_from_problem(make_problem(given, convention=convention))))
    printed = {cell["id"]: read_number(cell) for cell in page.root.find_all("td") if "id" in cell.attributes}
    expected = (solve_by_hand_in_columns if columns else solve_by_hand_in_rows)(given)
    assert printed == {
        f"{stage}_{i + 1}_{j + 1}": value
        for stage, rows in expected.items()
        for i, row in enumerate(rows)
        for j, value in enumerate(row)
    }


def test_a_number_read_back_is_a_number() -> None:
    """The reader itself: a fraction with its note, a negative one, a decimal, a whole number."""
    page = parse_html(get_html("warm-up columns", True))
    noted = [cell for cell in page.root.find_all("td") if "noted" in cell.classes]
    assert noted
    for cell in noted:
        notes = [part.text for part in cell.find_all("span") if "note" in part.classes]
        assert [Fraction(note.removeprefix("= ")) for note in notes] == [read_number(cell)] * len(notes)
    assert read_number(page.find_by_id("Z_2_1")) < 0
    assert read_number(parse_html(get_html("guide", True)).find_by_id("K_1_1")) == Fraction(6, 10)


# titles and words


def shape(element: Element) -> list[tuple[str, str]]:
    """Return tags and classes of all elements in an element."""
    return [(e.tag, e.attributes.get("class", "")) for e in element.find_all()]


@pytest.mark.parametrize("title", choose(MARKUP[::2], HOSTILE_TEXTS))
def test_a_title_is_text(title: str) -> None:
    """Whatever it looks like, it adds no element, no attribute and no address; it is read back as it was typed."""
    plain, titled = (generate(7, level="warm-up", title=text) for text in ("A title", title))
    page = parse_html(render_html(titled))
    assert page.root.find_first("title").text == f"{title} · {titled.code} · ANSWER KEY"
    assert page.root.find_first("h1").text == title
    assert shape(page.root) == shape(parse_html(render_html(plain)).root)
    assert page.comments == []


@pytest.mark.parametrize(
    ("word", "convention"),
    pair_up([text[:10] for text in choose(MARKUP[::2], HOSTILE_TEXTS)], [*Convention]),
)
def test_a_word_is_text(word: str, convention: Convention) -> None:
    """Likewise on rows and columns, and in what is read aloud."""
    words = (word, "b", "c")
    page = parse_html(render_html(generate(7, level="warm-up", convention=str(convention), words=words)))
    assert {element.tag for element in page.root.find_all()} <= TAGS
    assert {name for element in page.root.find_all() for name in element.attributes} <= ATTRIBUTES
    printed = {span.text for span in page.root.find_all("span") if "word" in span.classes}
    assert printed <= {*words}
    spoken = page.find_by_id("S_1_1")["aria-label"]
    role = ("row", "k₁ answers", "q₁ asks") if convention is Convention.COLUMNS else ("row", "q₁ asks", "k₁ answers")
    assert spoken == f"S, row {word} {role[1]}, column {word} {role[2]}"


def test_hostile_words_are_printed_where_they_fit() -> None:
    """The words of the tests above do appear."""
    words = ("<b>x</b>", "& &amp;", "{{ x }}")
    page = parse_html(render_html(generate(7, level="warm-up", convention="rows", words=words)))
    printed = {span.text for span in page.root.find_all("span") if "word" in span.classes}
    assert printed == {*words}


# read by everybody


@FACES
def test_tables_have_headers_and_no_spans(name: str, solved: bool) -> None:
    """Each matrix is a table of its own: a header cell with scope on every line, and as many cells in each."""
    page = read_page(name, solved)
    tables = list(page.root.find_all("table"))
    assert len(tables) > (4 if "S" in get_sheet(name).problem.variant.begins_with else 6)
    assert not [t for table in tables for t in table.find_all("table")]
    for table in tables:
        rows = list(table.find_all("tr"))
        assert {th["scope"] for th in rows[0].find_all("th")} == {"col"}
        assert len(list(rows[0].find_all("td"))) == 0
        for row in rows[1:]:
            (header,) = row.find_all("th")
            assert header["scope"] == "row"
            assert 1 + len(list(row.find_all("td"))) == len(list(rows[0].find_all("th")))
        assert not {name for e in table.find_all() for name in e.attributes} & {"colspan", "rowspan", "headers"}


@FACES
def test_cells_say_where_they_are(name: str, solved: bool) -> None:
    """ "S, row k₂, column q₃, empty": matrix, row and column as their headers have them, and whether it is empty."""
    page = read_page(name, solved)
    words = get_sheet(name).problem.words
    addressed = [cell for cell in page.root.find_all("td") if "id" in cell.attributes]
    boxes = [cell for cell in addressed if cell["id"].startswith("ask")]
    cells = [cell for cell in addressed if not cell["id"].startswith("ask")]
    sheet = get_sheet(name)
    asked = [] if solved else list_question_names(sheet)
    assert [(box["id"], box["aria-label"]) for box in boxes] == [
        (each, f"answer to question {each.removeprefix('ask')}, empty") for each in asked
    ]
    stages = {stage.name.replace(".", "_"): stage for stage in sheet.problem.mechanism.stages}
    assert len(cells) == sum(len(list_stage_cells(sheet, stage)) for stage in stages.values())
    for cell in cells:
        stage, row, column = cell["id"].rsplit("_", 2)
        head, _, own = stages[stage].name.rpartition(".")
        kind_of, prime = own.removesuffix("_new"), "′" if own.endswith("_new") else ""
        spelt = {"sums": "Σ", "zz": "squares"}.get(kind_of, kind_of.translate(str.maketrans("1234", "₁₂₃₄")))
        matrix = spelt + prime
        matrix = f"head {head[1:]}, {matrix}" if head else matrix
        empty = ", empty" if "blank" in cell.classes else ""
        # a sum has one row, or one column, whose name would say Σ again
        places = {"row": row, "column": column}
        if kind_of.rstrip("1234") in ("sums", "squares", "zz", "r", "loss", "m", "f", "l"):
            del places["column" if sheet.convention.is_rows else "row"]
        lines = "".join(f", {kind} (.+?)" for kind in places)
        spoken = re.fullmatch(f"{matrix}{lines}{empty}", cell["aria-label"])
        assert spoken
        sides = {"row": stages[stage].rows, "column": stages[stage].columns}
        for (kind, line), label in zip(places.items(), spoken.groups(), strict=True):
            number = int(line) + sheet.problem.count_before(sides[kind])
            small = str(number).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
            is_of_head = own == "concat" and re.fullmatch(r"Z⁽[¹²³⁴]⁾ [1-9]", label)
            assert words or label == line or re.fullmatch(rf"[a-z]{small}", label) or is_of_head
    plain = sheet.problem.mechanism.name in ("self", "cross") and "S" in stages and not words
    if plain and "rows" not in name and name not in ("guide", "three words"):
        first = page.find_by_id(f"S_2_{sheet.asked_queries[-1] + 1}")
        query = str(sheet.asked_queries[-1] + 1).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
        assert first["aria-label"] == f"S, row k₂, column q{query}{'' if solved else ', empty'}"


@FACES
def test_the_page_is_structured(name: str, solved: bool) -> None:
    """Language, title, one first heading, no level skipped, ids unique, one section a page."""
    sheet = get_sheet(name)
    page = read_page(name, solved)
    root = page.root.find_first("html")
    assert page.declarations == ["DOCTYPE html"]
    assert root["lang"] == "en"
    assert page.root.find_first("meta")["charset"] == "utf-8"
    headings = list(root.find_all("h1", "h2", "h3", "h4", "h5", "h6"))
    levels = [int(heading.tag[1]) for heading in headings]
    assert levels[:2] == [1, 2]
    assert set(levels[2:]) <= {2, 3}
    assert headings[0].text == page.root.find_first("title").text.partition(" · ")[0]
    assert page.root.find_first("title").text.partition(" · ")[2] == sheet.code + (" · ANSWER KEY" if solved else "")
    ids = [element["id"] for element in root.find_all() if "id" in element.attributes]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name) for name in ids)
    sections = [section["id"] for section in root.find_all("section")]
    assert sections == [f"page-{number}" for number in range(1, len(sections) + 1)]
    titles = [each.find_first("title").text for each in page.root.find_all("svg")]
    assert any(sheet.code in title for title in titles)


@FACES
def test_headings_count_from_one(name: str, solved: bool) -> None:
    """A number comes again on a later page alone, first there, as the same heading with the word for "continued"."""
    sheet = get_sheet(name)
    head_count = sheet.problem.mechanism.head_count
    begun: dict[int, str] = {}
    unnumbered = 0
    for section in read_page(name, solved).root.find_all("section"):
        on_page: list[tuple[int, bool]] = []
        earlier = dict(begun)
        for heading in section.find_all("h2"):
            text = heading.text.replace("\xa0", " ")
            if not (numbered := re.match("([0-9]+)\u2002", text)):
                unnumbered += text != "Exact values"
                continue
            number, (title, is_continued, _) = int(numbered[1]), text.partition(", continued")
            on_page.append((number, bool(is_continued)))
            if is_continued:
                assert earlier[number] == title
            else:
                assert number not in begun
                begun[number] = text.partition(":")[0]
        continued = [number for number, is_continued in on_page if is_continued]
        assert len(set(continued)) == len(continued) <= head_count
        if head_count == 1:  # heads that stand abreast share pages, each with numbers of its own
            assert [number for number, _ in on_page] == sorted(number for number, _ in on_page)
            assert continued in ([], [max(earlier, default=0)])
    assert len(begun) > (1 if "S" in sheet.problem.variant.begins_with else 2)
    assert sorted(begun) == [*range(1, len(begun) + 1)]
    assert head_count > 1 or list(begun) == sorted(begun)
    assert unnumbered == (0 if sheet.options.trace is None else head_count)


@pytest.mark.parametrize("name", ["large columns", "cross large rows", "multi-head large columns", "block large rows"])
def test_values_on_a_page_of_their_own_have_their_own_heading(name: str) -> None:
    """They continue nothing that stands before them; the heading of the outputs then names the outputs alone."""
    headings = [heading.text for heading in read_page(name, False).root.find_all("h2")]
    values = [heading for heading in headings if re.fullmatch(r"[0-9]+\sValues(, head\s[0-9])?", heading)]
    assert len(values) == get_sheet(name).problem.mechanism.head_count
    assert not any("Values and outputs" in heading for heading in headings)


@ALL
def test_blank_and_key_are_the_same_page(name: str) -> None:
    """Cell by cell: the same ids in the same order; a question's box is on the blank page alone."""
    blank, key = (read_page(name, solved) for solved in (False, True))
    ids = [[cell["id"] for cell in page.root.find_all("td") if "id" in cell.attributes] for page in (blank, key)]
    asked = list_question_names(get_sheet(name))
    assert [cell for cell in ids[0] if cell not in asked] == ids[1]


def test_the_key_says_so_on_every_page() -> None:
    """And has no line for a name, which the blank sheet has on every page."""
    for name in ("classic columns", "large rows"):
        for solved in (False, True):
            sections = list(read_page(name, solved).root.find_all("section"))
            assert all(("ANSWER KEY" in section.text) is solved for section in sections)
            assert all(("Name" in [p.text for p in section.find_all("p")]) is not solved for section in sections)


# in a notebook


def test_a_notebook_shows_the_page_in_a_frame() -> None:
    """The frame holds the whole page, so that neither touches the other's styles: rules beside it name it alone."""
    sheet = get_sheet("classic columns")
    frame = parse_html(render_notebook(sheet)).root.find_first("iframe")
    assert (
        parse_html(frame["srcdoc"]).root.find_first("main").text
        == parse_html(get_html("classic columns", True)).root.find_first("main").text
    )
    rules = render_notebook(sheet).partition("</style>")[0].removeprefix("<style>").split("}")[:-1]
    assert rules.pop() == "p.attnhand-lost{display:none"
    assert len(rules) == 2
    assert all(" iframe.attnhand{color-scheme:" in rule for rule in rules)
    assert frame["title"] == f"Self-attention by hand · {sheet.code} · ANSWER KEY"


@pytest.mark.parametrize("title", ['x" onload="y', "</iframe><script>", "& &amp;"])
def test_a_title_does_not_leave_the_frame(title: str) -> None:
    """Quotes, brackets and references are escaped twice over."""
    frame = parse_html(render_notebook(generate(7, title=title))).root.find_first("iframe")
    assert set(frame.attributes) == {"class", "srcdoc", "title", "style"}
    assert parse_html(frame["srcdoc"]).root.find_first("h1").text == title


# guards


def test_a_leak_is_seen() -> None:
    """A page that holds an answer as text, attribute or comment fails the tests above."""
    page = get_html("classic columns", False)
    assert page != render_html(change_answers(get_sheet("classic columns")))
    tampered = page.replace('id="S_1_1"', 'id="S_1_1" data-answer="0"').replace("</main>", "<!-- 3 --></main>")
    assert "data-answer" in {name for element in parse_html(tampered).root.find_all() for name in element.attributes}
    assert parse_html(tampered).comments == [" 3 "]
    with pytest.raises(AssertionError, match=r"stays open|closes"):
        parse_html(page.replace("</table>", "", 1))


def test_the_page_is_the_same_every_time() -> None:
    """No date, no counter, no address of an object."""
    options = PageOptions(check_sums=True)
    assert render_html(generate(7, options=options)) == render_html(generate(7, options=options))
