"""A disk that forgets what was not synced: what each file holds after a power cut, at every moment of a run."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest


class ForgetfulDisk:
    """Watches syncs and renames below a folder; names and data are kept only once they were synced."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._root = root
        self._data: dict[int, bytes] = {}
        """What is kept of every file, by inode."""

        self._names: dict[str, tuple[int, ...]] = {}
        """Which inodes a name may lead to after a power cut: the one that is kept, and those renamed to it since."""

        self.moments: list[dict[str, set[bytes]]] = []
        """After each operation: what every file may hold."""

        sync, replace = os.fsync, Path.replace

        def watch_sync(handle: int) -> None:
            sync(handle)
            self._keep(Path(f"/proc/self/fd/{handle}").readlink())

        def watch_replace(path: Path, target: Path) -> Path:
            if path.is_dir():
                moved = {target / each.relative_to(path): each for each in path.rglob("*") if each.is_file()}
            else:
                moved = {target: path}
            for at, each in moved.items():
                name = at.absolute().relative_to(root).as_posix()
                # a folder's own names are there once it was synced, before it gets its own
                inode = each.stat().st_ino if path == each or self._has_name(each) else -1
                self._names[name] = (*self._names.get(name, ()), inode)
            done = replace(path, target)
            self._note()
            return done

        monkeypatch.setattr(os, "fsync", watch_sync)
        monkeypatch.setattr(Path, "replace", watch_replace)

    def keep_all(self) -> None:
        """Begin with what is there now."""
        for path in self._root.rglob("*"):
            if path.is_file():
                self._data[path.stat().st_ino] = path.read_bytes()
                self._names[path.relative_to(self._root).as_posix()] = (path.stat().st_ino,)
        self._note()

    def _has_name(self, path: Path) -> bool:
        return path.absolute().relative_to(self._root).as_posix() in self._names

    def _keep(self, path: Path) -> None:
        if path.is_file():
            self._data[path.stat().st_ino] = path.read_bytes()
        else:
            for each in path.iterdir():
                if each.is_file():
                    self._names[each.relative_to(self._root).as_posix()] = (each.stat().st_ino,)
        self._note()

    def _note(self) -> None:
        self.moments.append(
            {
                name: {self._data.get(inode, b"") for inode in inodes}
                for name, inodes in self._names.items()
                if not any(part.startswith(".attnhand-") for part in Path(name).parts)
            }
        )

    def list_outcomes(self) -> Iterator[tuple[int, str, bytes]]:
        """Yield what each file may hold after a cut at each moment: the moment, the name, the content."""
        for at, moment in enumerate(self.moments):
            for name, contents in moment.items():
                for content in contents:
                    yield at, name, content
