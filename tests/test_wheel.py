"""What is installed is what works: the wheel alone, without a checkout beside it."""

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent

CLASSIC = "import sys; from attnhand.cli import main; sys.argv[0] = 'attnhand'; main()"


def test_a_wheel_makes_the_classic_sheet(tmp_path: Path) -> None:
    """Built from a checkout, unpacked elsewhere: it has its templates, fonts and samples."""
    build = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--quiet", "-w", str(tmp_path)]
    subprocess.run([*build, str(ROOT)], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    installed = tmp_path / "installed"
    zipfile.ZipFile(wheel).extractall(installed)
    (tmp_path / "work").mkdir()
    # libraries from where they are, the package from the wheel: -S leaves out what `pip install -e` links to
    libraries = os.pathsep.join([str(installed), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")])
    done = subprocess.run(
        [sys.executable, "-S", "-c", CLASSIC, "key", "classic", "--pdf", "--html", "--out", "made/"],
        cwd=tmp_path / "work",
        env={**os.environ, "PYTHONPATH": libraries},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    files_by_name = {path.name: path.read_bytes() for path in (tmp_path / "work" / "made").iterdir()}
    assert sorted(files_by_name) == ["classic-key.html", "classic-key.pdf", "classic.html", "classic.pdf"]
    samples = ROOT / "samples"
    assert {
        name: data == (samples / name).read_bytes() for name, data in files_by_name.items() if name.endswith(".html")
    } == {
        "classic.html": True,
        "classic-key.html": True,
    }
    assert files_by_name["classic.pdf"].startswith(b"%PDF-")
    shipped = {path.relative_to(installed).parts[0] for path in installed.iterdir()}
    assert {name for name in shipped if not name.endswith(".dist-info")} == {"attnhand"}
    beside = ("README.md", "make_samples.py", "__main__.py")
    files = {path.relative_to(installed / "attnhand") for path in (installed / "attnhand").rglob("*") if path.is_file()}
    assert {str(file) for file in files if file.name in beside or "benchmarks" in file.parts} == {"__main__.py"}
