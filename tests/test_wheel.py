"""What is installed is what works: the wheel alone, without a checkout beside it; and what it is built from."""

import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent

CLASSIC = "import sys; from attnhand.cli import main; sys.argv[0] = 'attnhand'; main()"


MAX_SDIST_BYTES = 2_000_000
"""Fonts and seven languages are most of it; pictures of samples would be megabytes more."""


def build(folder: Path, kind: str, into: Path) -> Path:
    """Build a wheel or an sdist from a folder, and return the file."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", kind, "--directory", str(into)]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    (file,) = into.iterdir()
    return file


def test_an_sdist_has_what_the_wheel_is_built_from_and_no_more(tmp_path: Path) -> None:
    """A packager gets the same wheel from it as from a checkout, without megabytes of pictures and tests."""
    sdist = build(ROOT, "sdist", tmp_path / "sdist")
    with tarfile.open(sdist) as archive:  # file by file: not every 3.11 knows the filters of extractall
        for member in archive.getmembers():
            content = archive.extractfile(member)
            assert content, member.name
            (file := tmp_path / member.name).parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.read())
    source = tmp_path / sdist.name.removesuffix(".tar.gz")
    files = {str(path.relative_to(source)) for path in source.rglob("*") if path.is_file()}
    rooms = ("attnhand/", "templates/", "samples/problems/")
    beside = {"PKG-INFO", "pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", ".gitignore"}
    assert {file for file in files if not file.startswith(rooms)} == beside
    assert not [file for file in files if file.endswith((".pdf", ".png"))]
    assert sdist.stat().st_size < MAX_SDIST_BYTES

    def read_wheel(folder: Path, into: str) -> dict[str, bytes]:
        with zipfile.ZipFile(build(folder, "wheel", tmp_path / into)) as wheel:
            return {name: wheel.read(name) for name in wheel.namelist()}

    assert read_wheel(source, "from-sdist") == read_wheel(ROOT, "from-checkout")


def test_a_wheel_makes_the_classic_sheet(tmp_path: Path) -> None:
    """Built from a checkout, unpacked elsewhere: it has its templates, fonts and samples."""
    wheel = build(ROOT, "wheel", tmp_path / "wheel")
    installed = tmp_path / "installed"
    zipfile.ZipFile(wheel).extractall(installed)
    (tmp_path / "work").mkdir()
    # libraries from where they are, the package from the wheel: -S leaves out what `pip install -e` links to
    libraries = os.pathsep.join([str(installed), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")])
    done = subprocess.run(
        [sys.executable, "-S", "-c", CLASSIC, "key", "classic", "--pdf", "--html", "--notebook", "--out", "made/"],
        cwd=tmp_path / "work",
        env={**os.environ, "PYTHONPATH": libraries},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert [line.partition(":")[2][:31] for line in done.stderr.splitlines()] == [" the notebook holds all answers"]
    files_by_name = {path.name: path.read_bytes() for path in (tmp_path / "work" / "made").iterdir()}
    assert sorted(files_by_name) == [
        *("classic-key.html", "classic-key.pdf", "classic.html", "classic.ipynb", "classic.pdf")
    ]
    samples = ROOT / "samples"
    assert {
        name: data == (samples / name).read_bytes() for name, data in files_by_name.items() if name.endswith(".html")
    } == {
        "classic.html": True,
        "classic-key.html": True,
    }
    assert b"BEGIN TESTS" in files_by_name["classic.ipynb"]
    assert files_by_name["classic.pdf"].startswith(b"%PDF-")
    shipped = {path.relative_to(installed).parts[0] for path in installed.iterdir()}
    assert {name for name in shipped if not name.endswith(".dist-info")} == {"attnhand"}
    beside = ("README.md", "make_samples.py", "__main__.py")
    files = {path.relative_to(installed / "attnhand") for path in (installed / "attnhand").rglob("*") if path.is_file()}
    assert {str(file) for file in files if file.name in beside or "benchmarks" in file.parts} == {"__main__.py"}
