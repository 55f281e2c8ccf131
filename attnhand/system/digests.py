"""A digest inside every file we write, so that we later see whether it is still as it was written.

Work that somebody has filled in is never overwritten: a file whose seal does not hold is theirs. The digest is that
of the whole file with zeros in its place.
"""

import hashlib
import re
import zlib
from pathlib import Path
from typing import BinaryIO

DIGEST = "attnhand-digest:"
"""What the seal begins with."""

_MARK = DIGEST.encode()
_ZEROS = b"0" * 64
_SEAL = re.compile(_MARK + rb"([0-9a-f]{64})")

_LINES = {
    "pdf": b"%" + _MARK + _ZEROS + b"\n",
    "html": b"<!-- " + _MARK + _ZEROS + b" -->\n",
    "markdown": b"\n<!-- " + _MARK + _ZEROS + b" -->\n",
    "svg": b"<!-- " + _MARK + _ZEROS + b" -->\n",
    "csv": b"\r\n" + _MARK + _ZEROS + b"\r\n",
}
"""How the seal ends a file of each format: a comment where the format has one."""

_PNG, _PNG_END, _NO_CHECKSUM = b"\x89PNG", 12, bytes(4)
"""How a PNG file begins, how many bytes its last chunk has, and what stands for the checksum of the seal's chunk."""

_PNG_TEXT = b"tEXtComment\0" + _MARK
"""The seal's chunk up to the digest, without its length."""


def sealed(data: bytes, format_name: str) -> bytes:
    """Return the file with its digest in it, as its last line (in JSON as its last key).

    >>> is_untouched(sealed(b"# A sheet", "markdown")), is_untouched(sealed(b"# A sheet", "markdown") + b"mine")
    (True, False)
    """
    if format_name == "png":
        return _sealed_png(data)
    if format_name == "json":
        body = data.rstrip().removesuffix(b"}").rstrip()
        whole = body + b',\n  "digest": "' + _MARK + _ZEROS + b'"\n}\n'
    else:
        whole = data + _LINES[format_name]
    at = whole.rindex(_MARK) + len(_MARK)
    return whole[:at] + hashlib.sha256(whole).hexdigest().encode() + whole[at + 64 :]


def _sealed_png(data: bytes) -> bytes:
    """Return a PNG file with its digest in a comment before its end; the comment's own checksum is no part of it."""
    length = (len(_PNG_TEXT) - len(b"tEXt") + len(_ZEROS)).to_bytes(4)
    start, end = data[:-_PNG_END] + length + _PNG_TEXT, data[-_PNG_END:]
    digest = hashlib.sha256(start + _ZEROS + _NO_CHECKSUM + end).hexdigest().encode()
    return start + digest + _checksum(digest) + end


def _checksum(digest: bytes) -> bytes:
    return zlib.crc32(_PNG_TEXT + digest).to_bytes(4)


def is_untouched(data: bytes) -> bool:
    """Say whether a file is one of ours, still as it was written."""
    seals = list(_SEAL.finditer(data))
    if not seals:
        return False
    start, end = seals[-1].span(1)
    zeroed = data[:start] + _ZEROS + data[end:]
    if data.startswith(_PNG):
        checksum, rest = data[end : end + len(_NO_CHECKSUM)], data[end + len(_NO_CHECKSUM) :]
        if checksum != _checksum(data[start:end]):
            return False
        zeroed = data[:start] + _ZEROS + _NO_CHECKSUM + rest
    return hashlib.sha256(zeroed).hexdigest().encode() == data[start:end]


BLOCK = 1 << 20
"""Bytes of a large file that are held at a time."""

END = 4096
"""The seal stands in the last so many bytes."""


def seal_file(file: BinaryIO, format_name: str) -> None:
    """End a file, open for reading and writing, with its digest; it may be too large to be held."""
    file.seek(0)
    digest = hashlib.sha256()
    while block := file.read(BLOCK):
        digest.update(block)
    line = _LINES[format_name]
    digest.update(line)
    file.write(line.replace(_ZEROS, digest.hexdigest().encode()))


def is_file_untouched(path: Path) -> bool:
    """Say whether a file on disk is one of ours, still as it was written; it may be too large to be held."""
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - END))
        end = file.read()
        seals = list(_SEAL.finditer(end))
        if not seals:
            return False
        start = max(0, size - END) + seals[-1].start(1)
        file.seek(0)
        digest = hashlib.sha256()
        left = start
        while left and (block := file.read(min(left, BLOCK))):
            digest.update(block)
            left -= len(block)
        told = file.read(64)
        digest.update(_ZEROS + file.read())
    return digest.hexdigest().encode() == told
