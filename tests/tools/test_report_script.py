"""tools/sonde-report: which Python it takes, beside a package's own wheels and beside none."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHOWS_WHAT_IT_IS = """#!/bin/sh
case $1 in
  -c) echo {version} ;;
  *) echo "$PYTHONPATH $*" ;;
esac
"""


@pytest.fixture
def installed(tmp_path):
    """lib/sonde of a package, with Python packages for no version that there is."""
    folder = tmp_path / "lib/sonde"
    (folder / "python/3.91").mkdir(parents=True)
    (folder / "python/3.93").mkdir()
    for name in ("sonde-report", "sonde-compare"):
        shutil.copy2(ROOT / "tools" / name, folder / name, follow_symlinks=False)
    return folder


def start(folder, name, *words):
    path = f"{folder.parent.parent}/bin:/usr/bin:/bin"
    return subprocess.run([folder / name, *words], env={"PATH": path}, capture_output=True, text=True, timeout=60)


def add_python(folder, name, version):
    file = folder.parent.parent / "bin" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(SHOWS_WHAT_IT_IS.format(version=version))
    file.chmod(0o755)


def test_a_package_takes_the_packages_of_the_python_that_is_there(installed):
    add_python(installed, "python3", "3.93")
    done = start(installed, "sonde-compare", "a", "b c")
    packages = f"{installed}:{installed}/python/3.93:{installed}/python/any"
    assert (done.returncode, done.stdout) == (0, f"{packages} -m sonde_tools.compare a b c\n")


def test_a_package_finds_another_python_by_its_version(installed):
    add_python(installed, "python3", "3.8")
    add_python(installed, "python3.91", "3.91")
    done = start(installed, "sonde-report", "x.jsonl")
    assert done.returncode == 0
    assert done.stdout.split()[0].endswith("/python/any") and "/python/3.91:" in done.stdout


def test_without_such_a_python_a_package_says_which_it_wants(installed):
    add_python(installed, "python3", "3.8")
    done = start(installed, "sonde-compare")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "sonde compare: it brings its packages for Python 3.91 and 3.93 along, and there is none of these here; "
        "install one\n"
    )
