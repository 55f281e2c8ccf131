"""A digest inside every file we write, so that we later see whether it is still as it was written.

Work that somebody has filled in is never overwritten: a file whose digest does not fit is theirs. The digest is that
of the whole file with zeros in its place.
"""

import hashlib
import re
import zlib
from pathlib import Path
from typing import BinaryIO

DIGEST_PREFIX = "attnhand-digest:"
"""What the line with the digest begins with."""

_PREFIX_BYTES = DIGEST_PREFIX.encode()
_ZERO_DIGEST = b"0" * 64
_DIGEST_PATTERN = re.compile(_PREFIX_BYTES + rb"([0-9a-f]{64})")

_DIGEST_LINES = {
    "pdf": b"%" + _PREFIX_BYTES + _ZERO_DIGEST + b"\n",
    "html": b"<!-- " + _PREFIX_BYTES + _ZERO_DIGEST + b" -->\n",
    "markdown": b"\n<!-- " + _PREFIX_BYTES + _ZERO_DIGEST + b" -->\n",
    "csv": b"\r\n" + _PREFIX_BYTES + _ZERO_DIGEST + b"\r\n",
}
"""How the digest ends a file of each format: a comment where the format has one."""

DIGEST_STYLES = frozenset((*_DIGEST_LINES, "json", "png", "zip", "inner"))
"""Formats whose files hold a digest."""

_PNG_SIGNATURE, _PNG_END_LENGTH, _ZERO_CHECKSUM = b"\x89PNG", 12, bytes(4)
"""How a PNG file begins, how many bytes its last chunk has, and what stands for the checksum of the digest's chunk."""

_PNG_CHUNK_START = b"tEXtComment\0" + _PREFIX_BYTES
"""The chunk with the digest, up to it, without its length."""


def add_digest(data: bytes, format_name: str) -> bytes:
    """Return the file with its digest in it, as its last line (in JSON as its last key, of an archive as its comment).

    >>> is_untouched(add_digest(b"# A sheet", "markdown")), is_untouched(add_digest(b"# A sheet", "markdown") + b"mine")
    (True, False)
    """
    if format_name == "png":
        return _add_digest_to_png(data)
    if format_name == "json":
        body = data.rstrip().removesuffix(b"}").rstrip()
        whole = body + b',\n  "digest": "' + _PREFIX_BYTES + _ZERO_DIGEST + b'"\n}\n'
    elif format_name == "zip":  # the length of the comment stands before it, and ends an archive without one
        comment = _PREFIX_BYTES + _ZERO_DIGEST
        whole = data[:-2] + len(comment).to_bytes(2, "little") + comment
    elif format_name == "inner":  # it has a blank one where it may stand
        whole = data
    else:
        whole = data + _DIGEST_LINES[format_name]
    return fill_digest(whole)


BLANK_DIGEST = f"{DIGEST_PREFIX}{_ZERO_DIGEST.decode()}"
"""What holds the place of a digest in a file that others read, where it cannot be a line of its own."""


def fill_digest(data: bytes) -> bytes:
    """Return a file with its digest where the blank one stands.

    >>> is_untouched(fill_digest(f"name,{BLANK_DIGEST}".encode()))
    True
    """
    at = data.rindex(_PREFIX_BYTES) + len(_PREFIX_BYTES)
    return data[:at] + hashlib.sha256(data).hexdigest().encode() + data[at + 64 :]


def make_digest_file(path: Path, data: bytes) -> tuple[Path, bytes]:
    """Return a hidden file beside one that has no room for a digest: its path, and the digest of the other.

    >>> make_digest_file(Path("in", "grades.csv"), b"")[0].name
    '.grades.csv.attnhand'
    """
    return path.with_name(f".{path.name}.attnhand"), f"{DIGEST_PREFIX}{hashlib.sha256(data).hexdigest()}\n".encode()


def _add_digest_to_png(data: bytes) -> bytes:
    """Return a PNG file with its digest in a comment before its end; the comment's own checksum is no part of it."""
    length = (len(_PNG_CHUNK_START) - len(b"tEXt") + len(_ZERO_DIGEST)).to_bytes(4)
    start, end = data[:-_PNG_END_LENGTH] + length + _PNG_CHUNK_START, data[-_PNG_END_LENGTH:]
    digest = hashlib.sha256(start + _ZERO_DIGEST + _ZERO_CHECKSUM + end).hexdigest().encode()
    return start + digest + _compute_png_checksum(digest) + end


def _compute_png_checksum(digest: bytes) -> bytes:
    return zlib.crc32(_PNG_CHUNK_START + digest).to_bytes(4)


def is_untouched(data: bytes) -> bool:
    """Say whether a file is one of ours, still as it was written."""
    matches = list(_DIGEST_PATTERN.finditer(data))
    if not matches:
        return False
    start, end = matches[-1].span(1)
    zeroed = data[:start] + _ZERO_DIGEST + data[end:]
    if data.startswith(_PNG_SIGNATURE):
        checksum, rest = data[end : end + len(_ZERO_CHECKSUM)], data[end + len(_ZERO_CHECKSUM) :]
        if checksum != _compute_png_checksum(data[start:end]):
            return False
        zeroed = data[:start] + _ZERO_DIGEST + _ZERO_CHECKSUM + rest
    return hashlib.sha256(zeroed).hexdigest().encode() == data[start:end]


BLOCK_SIZE = 1 << 20
"""Bytes of a large file that are read at a time."""

TAIL_SIZE = 4096
"""The digest stands in the last so many bytes."""


def write_digest_into(file: BinaryIO, format_name: str) -> None:
    """End a file, open for reading and writing, with its digest; it may be larger than memory."""
    file.seek(0)
    digest = hashlib.sha256()
    while block := file.read(BLOCK_SIZE):
        digest.update(block)
    line = _DIGEST_LINES[format_name]
    digest.update(line)
    file.write(line.replace(_ZERO_DIGEST, digest.hexdigest().encode()))


def has_digest_beside(path: Path) -> bool:
    """Say whether a file is as it was when its digest was written beside it.

    Raises:
        OSError: there is such a digest, and it cannot be read.
    """
    beside, digest = make_digest_file(path, path.read_bytes())
    return beside.is_file() and beside.read_bytes() == digest


def is_file_untouched(path: Path) -> bool:
    """Say whether a file on disk is one of ours, still as it was written; it may be larger than memory."""
    tail_start = max(0, path.stat().st_size - TAIL_SIZE)
    with path.open("rb") as file:
        file.seek(tail_start)
        matches = list(_DIGEST_PATTERN.finditer(file.read()))
        if not matches:
            return False
        left = tail_start + matches[-1].start(1)
        file.seek(0)
        digest = hashlib.sha256()
        while left and (block := file.read(min(left, BLOCK_SIZE))):
            digest.update(block)
            left -= len(block)
        stored_digest = file.read(64)
        digest.update(_ZERO_DIGEST + file.read())
    return digest.hexdigest().encode() == stored_digest
