"""Results that are slow to make, stored in the user's cache folder by a key of all that shapes them."""

import contextlib
import hashlib
import os
import secrets
import zlib
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from pathlib import Path

from attnhand.system.resources import get_template_dir

FOLDER = "ATTNHAND_CACHE"
"""The environment variable that names another folder; empty to keep nothing."""

MOST_FILES = 400
"""The oldest make room for new ones."""


def cached(name: str, key: str, make: Callable[[], bytes]) -> bytes:
    """Return what is stored under a key; else make it and store it.

    A folder that cannot be read or written, or a damaged file, costs time and nothing else.
    """
    folder = _folder()
    if folder is None:
        return make()
    path = folder / f"{name}-{hashlib.sha256(f'{_program()} {key}'.encode()).hexdigest()[:32]}"
    with contextlib.suppress(OSError, zlib.error, ValueError):
        return _decode_cache_file(path.read_bytes())
    data = make()
    with contextlib.suppress(OSError):
        _write_cache_file(path, data)
    return data


def _decode_cache_file(data: bytes) -> bytes:
    digest, packed = data[:32], data[32:]
    if hashlib.sha256(packed).digest() != digest:
        raise ValueError("the file is damaged")
    return zlib.decompress(packed)


def _write_cache_file(path: Path, data: bytes) -> None:
    packed = zlib.compress(data)
    path.parent.mkdir(parents=True, exist_ok=True)
    passing = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        passing.write_bytes(hashlib.sha256(packed).digest() + packed)
        passing.replace(path)
    finally:
        passing.unlink(missing_ok=True)
    files = [each for each in path.parent.iterdir() if each.is_file()]
    if len(files) > MOST_FILES:
        for old in sorted(files, key=lambda each: each.stat().st_mtime)[: len(files) - MOST_FILES * 3 // 4]:
            old.unlink(missing_ok=True)


def _folder() -> Path | None:
    if FOLDER in os.environ:
        return Path(os.environ[FOLDER]) if os.environ[FOLDER] else None
    from platformdirs import user_cache_path

    return user_cache_path("attnhand", appauthor=False)


@cache
def _program() -> str:
    """Return what tells this program, its styles and WeasyPrint from any other version of them."""
    versions = [version("weasyprint")]
    for root in (Path(__file__).parents[1], get_template_dir()):
        for path in sorted(root.rglob("*")):
            if path.suffix in (".py", ".toml", ".css", ".html", ".woff2", ".json"):
                stat = path.stat()
                versions.append(f"{path.relative_to(root)} {stat.st_size} {stat.st_mtime_ns}")
    return hashlib.sha256("\n".join(versions).encode()).hexdigest()
