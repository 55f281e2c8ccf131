"""What a spreadsheet makes of one answer: the number that was typed, its mark, and what the student goes on with."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from attnhand.attention.numbers import Number, is_finite
from attnhand.formats.xlsx.excel_formulas import INFINITY, nest_changes
from attnhand.formats.xlsx.table import (
    IS_COPIED,
    IS_CUT_OFF,
    IS_EMPTY,
    IS_FOLLOWING,
    IS_RIGHT,
    IS_SHORT,
    IS_WRONG,
    SHIFTED,
)
from attnhand.sheet.evidence_limits import FRACTION_DIGITS

EXACT_TOLERANCE = "1E-11"
"""How near two numbers are that differ by what floats lose alone."""

NEAR_A_HALF = "1.000000001"
"""Half a unit of the last digit is near enough, and so much of it more."""

UNREAD = "no"
"""The value of what is no number."""

_MINUS_SIGNS, _CUTS = "−–‐", (("=", ""), (",", "."), (" /", "/"), ("/ ", "/"), ("- ", "-"))


@dataclass(frozen=True, slots=True)
class AnswerFormulas:
    """What is asked of one answer, marked in one way."""

    get: Callable[[str], str]
    """Returns a cell of its row in the table, by column."""

    way: str
    key: Number
    places: int
    """The decimals that the sheet asks."""

    gives_infinity: bool
    """Whether −∞ may be gone on with: it goes nowhere but from a mask into a power."""

    def _get_of_way(self, name: str) -> str:
        return self.get(f"{self.way} {name}")

    @property
    def is_number(self) -> str:
        """Whether there is a number to go on with."""
        value = self.get("value")
        is_finite_or_masked = "TRUE" if self.gives_infinity else f"{value}>-1E+90"
        return f"IF(ISNUMBER({value}),{is_finite_or_masked},FALSE)"

    def is_same(self, other: str) -> str:
        """Whether the answer is a number, which is one."""
        return f"ABS({self.get('value')}-{other})<={EXACT_TOLERANCE}*MAX(1,ABS({other}))"

    def is_rounded(self, other: str, decimals: str) -> str:
        """Whether the answer is a number rounded."""
        return f"ABS({self.get('value')}-{other})<=0.5*10^-({decimals})*{NEAR_A_HALF}"

    def write_mark(self, strayed: str) -> str:
        """Return the mark: right to the digits that were written, or from the student's numbers to those asked.

        What follows from right numbers is right, but not of a sheet with the largest subtracted: a formula that knows
        nothing of that gives the plain number.
        """
        value, decimals, places = self.get("value"), self.get("decimals"), self.places
        key, written, unrounded = (self._get_of_way(name) for name in ("key", "written", "unrounded"))
        follows = [self._is_following(other, key) for other in (written, unrounded)]
        copied = self.get("copied")
        is_own = f"IF(ISNUMBER({written}),{self._is_right(written, 0)},TRUE)"  # OR would work out both
        right = f"IF({copied}=1,IF({is_own},{IS_COPIED},{IS_RIGHT}),{IS_RIGHT})"
        following = f"IF({copied}=1,{IS_COPIED},{IS_FOLLOWING})"
        unstrayed = IS_FOLLOWING if self.way == SHIFTED else IS_RIGHT
        followed = str(unstrayed) if strayed == "0" else f"IF({strayed}>0,{following},{unstrayed})"
        is_short = f"AND({decimals}>0,{decimals}<{places},{self.is_rounded(key, decimals)})"
        is_cut = (
            f"AND({decimals}>={places},{value}*{key}>=0,ABS({key})>ABS({value}),"
            f"ABS({key})-ABS({value})<0.999999*10^-{decimals})"
        )
        nearly = f"IF({is_short},{IS_SHORT},IF({is_cut},{IS_CUT_OFF},{IS_WRONG}))"
        return (
            f"IF({self.get('read')}=0,{IS_EMPTY},IF({self._is_right(key, self.key)},{right},"
            f"IF(OR({','.join(follows)}),{followed},{nearly})))"
        )

    def _is_right(self, other: str, number: Number) -> str:
        """Return whether the answer is a number to all digits that were written."""
        value, decimals, places = self.get("value"), self.get("decimals"), self.places
        # of 0.190, the last zero was added to what was rounded; 0.2 is 0.20
        is_padded = f"ABS({value}*10^{places}-ROUND({value}*10^{places},0))<1E-9"
        digits = f"IF(AND({decimals}>{places},NOT({is_padded})),{decimals},{places})"
        is_decimal = f"AND({decimals}>=0,OR({decimals}>={places},{value}<>0))"
        if isinstance(number, Decimal) and is_finite(number):  # no fraction is e
            digits = f"IF({decimals}<0,{places + FRACTION_DIGITS},{digits})"
            is_decimal = f"OR({decimals}<0,{is_decimal})"
        return f"OR({self.is_same(other)},AND({is_decimal},{self.is_rounded(other, digits)}))"

    def _is_following(self, other: str, key: str) -> str:
        """Return whether the answer follows from own numbers, which lead elsewhere than the key."""
        value, decimals, places = self.get("value"), self.get("decimals"), self.places
        is_elsewhere = f"ABS({other}-{key})>{EXACT_TOLERANCE}*MAX(1,ABS({key}))"
        is_decimal = f"AND({decimals}>=0,OR({decimals}>={places},{value}<>0))"
        is_rounded = f"AND({is_decimal},{self.is_rounded(other, str(places))})"
        return f"IF(ISNUMBER({other}),AND({is_elsewhere},OR({self.is_same(other)},{is_rounded})),FALSE)"

    def write_meant(self, *, explains: bool) -> str:
        """Return the number that a rounded one stands for: of a slip, what follows, or the key, as its digits go."""
        key, written, unrounded, mark = (self._get_of_way(name) for name in ("key", "written", "unrounded", "mark"))
        found = self.get("value")
        for other in (written, key, unrounded):
            found = f"IF({self._may_be(other)},{other},{found})"
        found = f"IF(OR({mark}={IS_CUT_OFF},{mark}={IS_SHORT}),{key},{found})"
        explained = self.get("explained")
        return f"IF({self._may_be(explained)},{explained},{found})" if explains else found

    def _may_be(self, other: str) -> str:
        rounded = self.is_rounded(other, f"MIN({self.get('decimals')},{self.places})")
        is_meant = f"OR({self.is_same(other)},AND({self.get('decimals')}>0,{rounded}))"
        return f"IF(ISNUMBER({other}),{is_meant},FALSE)"


def write_reading(typed: str, get: Callable[[str], str]) -> Mapping[str, tuple[str, str | float]]:
    """Return formulas for what was typed, with what they give for nothing: a plain text, its number, its decimals.

    Args:
        typed: the cell in which it was.
        get: returns a cell of its row in the table, by column.
    """
    text, body, rest, decimals = (get(name) for name in ("text", "body", "rest", "decimals"))
    return {
        "text": (nest_changes(f"TRIM({typed})", (*((sign, "-") for sign in _MINUS_SIGNS), *_CUTS)), ""),
        "body": (f'IF(OR(LEFT({text},1)="-",LEFT({text},1)="+"),MID({text},2,99),{text})', ""),
        "rest": (nest_changes(body, ((str(digit), "") for digit in range(10))), ""),
        "decimals": (f'IF({rest}="/",-1,IF({rest}=".",LEN({body})-FIND(".",{body}),0))', 0),
        "value": (_write_value(typed, text, body, rest, decimals), ""),
        "read": (f"IF(ISNUMBER({get('value')}),1,0)", 0),
    }


def _write_value(typed: str, text: str, body: str, rest: str, decimals: str) -> str:
    """Return the number that was written: "" for nothing, and a word for what is none.

    Digits are read as whole numbers, which no country writes otherwise, and divided by a power of ten.
    """
    top, bottom = f'VALUE(LEFT({body},FIND("/",{body})-1))', f'VALUE(MID({body},FIND("/",{body})+1,99))'
    decimal = f'VALUE(SUBSTITUTE({body},".",""))/10^{decimals}'
    number = f'IF(LEFT({text},1)="-",-1,1)*IF({rest}="/",{top}/{bottom},{decimal})'
    has_two_readings = (
        f'AND({rest}=".",{decimals}=3,LEN({body})>4,LEN({body})<8,LEFT({body},1)<>"0",ISNUMBER(FIND(",",{typed})))'
    )
    is_none = f'OR(LEN({text})>40,AND({rest}<>"",{rest}<>".",{rest}<>"/"),{has_two_readings})'
    is_infinity = f'OR({text}="-∞",LOWER({text})="-inf")'
    found = f'IF({is_none},"{UNREAD}",IFERROR({number},"{UNREAD}"))'
    return f'IF(OR({text}="",{text}="-"),"",IF({is_infinity},-{INFINITY},{found}))'
