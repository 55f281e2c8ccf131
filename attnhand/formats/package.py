"""Files in an archive, always the same bytes."""

import io
from collections.abc import Mapping
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

ZIP_DATE = (1980, 1, 1, 0, 0, 0)
"""Of every file, the first that an archive can have: the same sheet is the same bytes."""

UNIX = 3
"""What an archive calls the system it was made on, whichever it was."""


def pack_files(texts: Mapping[str, str]) -> bytes:
    """Return an archive of files, by their names.

    >>> pack_files({"a.txt": "A"}) == pack_files({"a.txt": "A"})
    True
    """
    archive = io.BytesIO()
    with ZipFile(archive, "w", ZIP_DEFLATED) as package:
        for name, text in texts.items():
            info = ZipInfo(name, ZIP_DATE)
            info.create_system, info.compress_type = UNIX, ZIP_DEFLATED
            package.writestr(info, text)
    return archive.getvalue()


def unpack_files(data: bytes) -> dict[str, str]:
    """Return the files of such an archive.

    >>> unpack_files(pack_files({"a.txt": "A"}))
    {'a.txt': 'A'}
    """
    with ZipFile(io.BytesIO(data)) as package:
        return {name: package.read(name).decode() for name in package.namelist()}
