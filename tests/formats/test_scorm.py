"""The SCORM package: what platforms read of it, and what it refuses."""

import io
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from xml.etree import ElementTree
from zipfile import ZipFile

import pytest

from attnhand.api import generate, key
from attnhand.attention.arithmetic import EXACT, HAND
from attnhand.errors import PageError
from attnhand.formats.registry import FORMATS
from attnhand.formats.scorm import MAX_DATA_LENGTH, measure_answers
from attnhand.sheet.options import PageOptions
from attnhand.sheet.sheet import Sheet
from attnhand.system.digests import is_untouched
from tests.pages.reading import parse_html
from tests.pages.sheets import make_own_sheet

PACKAGING = "{http://www.imsproject.org/xsd/imscp_rootv1p1p2}"
RUN_TIME = "{http://www.adlnet.org/xsd/adlcp_rootv1p2}"

HOSTILE = "A & B < C > \"D\" 'E' ]]> é <script>"


def read_package(data: bytes) -> dict[str, str]:
    """Return every file of a package, whose checksums hold."""
    with ZipFile(io.BytesIO(data)) as package:
        assert package.testzip() is None
        return {name: package.read(name).decode() for name in package.namelist()}


@pytest.mark.parametrize("title", ["Week 3", HOSTILE])
def test_the_manifest_says_what_a_platform_looks_for(title: str) -> None:
    """Of SCORM 1.2: one organisation with one item, which names one resource, a SCO, whose files are all there are."""
    sheet = generate(7, level="warm-up", title=title)
    files = read_package(sheet.scorm())
    root = ElementTree.fromstring(files["imsmanifest.xml"])
    assert root.tag == f"{PACKAGING}manifest"
    assert root.findtext(f"{PACKAGING}metadata/{PACKAGING}schema") == "ADL SCORM"
    assert root.findtext(f"{PACKAGING}metadata/{PACKAGING}schemaversion") == "1.2"
    (organizations,) = root.iter(f"{PACKAGING}organizations")
    (organization,) = organizations
    assert organizations.get("default") == organization.get("identifier")
    (item,) = organization.iter(f"{PACKAGING}item")
    assert {element.text for element in root.iter(f"{PACKAGING}title")} == {f"{title} · {sheet.code}"}
    (resource,) = root.iter(f"{PACKAGING}resource")
    assert item.get("identifierref") == resource.get("identifier")
    assert (resource.get("type"), resource.get(f"{RUN_TIME}scormtype")) == ("webcontent", "sco")
    assert resource.get("href") == "index.html"
    assert {file.get("href") for file in resource.iter(f"{PACKAGING}file")} == files.keys() - {"imsmanifest.xml"}
    identifiers = [each.get("identifier") for each in root.iter() if each.get("identifier")]
    assert len(identifiers) == len(set(identifiers)) == 4


def test_the_page_is_one_that_checks_and_its_policy_knows_its_script() -> None:
    """No other script may run; the blank web sheet of the same sheet has nothing of a platform."""
    sheet = generate(7, level="warm-up")
    page = parse_html(read_package(sheet.scorm())["index.html"]).root
    (policy,) = (each["content"] for each in page.find_all("meta") if "http-equiv" in each.attributes)
    data, script = (each.text for each in page.find_all("script"))
    assert f"script-src 'sha256-{b64encode(sha256(script.encode()).digest()).decode()}';" in policy
    assert "LMSInitialize" in script
    assert all(word in data for word in ('"key"', '"scorm.sent"', '"check.right"'))
    for options in (sheet.options, replace(sheet.options, self_check=True)):
        assert not any(word in replace(sheet, options=options).blank.html() for word in ("LMSInitialize", "scorm"))


def test_it_is_the_same_package_for_ever_and_whatever_is_shown() -> None:
    """The same bytes, dated as no day, for the sheet, its blank and its key."""
    sheet = generate(7, level="warm-up")
    data = sheet.scorm()
    assert data == sheet.blank.scorm() == sheet.key.scorm() == generate(7, level="warm-up").scorm()
    assert is_untouched(data)
    with ZipFile(io.BytesIO(data)) as package:
        assert {info.date_time for info in package.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def refuse_scorm(sheet: Sheet) -> str:
    """Return why a sheet has no package."""
    with pytest.raises(PageError) as refusal:
        FORMATS["scorm"].render(sheet)
    return str(refusal.value)


def test_what_cannot_be_practised_is_refused() -> None:
    """A mistake to find, a key carried on, and more than platforms keep; the largest levels are not."""
    instead = "take `moodle=`, or a form: `fillable=True`, or leave out `mistake=`"
    assert instead in refuse_scorm(generate(7, mistake="any"))
    assert "not from what was given before: leave out `given=`" in refuse_scorm(key(7, given={"scaled[2,1]": 0}))
    every_query = PageOptions(only_queries=tuple(range(1, 13)))
    for rules, fits in ((HAND, True), (replace(EXACT, decimals=6), False)):
        large = make_own_sheet(12, 12, 8, 8, options=every_query, rules=rules)
        assert (measure_answers(large) < MAX_DATA_LENGTH) is fits, measure_answers(large)
    assert "a platform keeps 4,096 of a SCORM page: ask less with `only_queries=`" in refuse_scorm(large)
