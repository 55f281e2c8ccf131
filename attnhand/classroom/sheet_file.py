"""Names of files that every system takes, made of № and name."""

import unicodedata

MOST_BYTES = 120
"""Of the name in UTF-8; systems take 255 in all, folders of backups less."""

_FORBIDDEN = frozenset('<>:"/\\|?*')


def file_name(number: str, name: str, suffix: str) -> str:
    """Return the name of one student's file: № first, which alone tells two of one name apart.

    >>> file_name("047", "Ada  Lovelace", ".pdf"), file_name("048", "../../etc/passwd", ".pdf")
    ('047 Ada Lovelace.pdf', '048 etc passwd.pdf')
    >>> file_name("049", "", ".html")
    '049.html'
    """
    safe = "".join(" " if c in _FORBIDDEN or unicodedata.category(c)[0] in "CZ" else c for c in name)
    safe = unicodedata.normalize("NFC", " ".join(safe.split())).strip(". ")
    cut = safe.encode()[:MOST_BYTES].decode(errors="ignore").rstrip(". ")
    return f"{number} {cut}{suffix}" if cut else f"{number}{suffix}"
