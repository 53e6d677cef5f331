"""tools/sonde-report: which Python it takes, beside a package's own wheels and beside none."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHOWS_WHAT_IT_IS = """#!/bin/sh
case $2 in
  -c) echo {version} ;;
  *) echo "$*" ;;
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
    assert (done.returncode, done.stdout) == (0, f"-E -B {installed}/start_python.py sonde_tools.compare a b c\n")


def test_a_package_finds_another_python_by_its_version(installed):
    add_python(installed, "python3", "3.8")
    add_python(installed, "python3.91", "3.91")
    done = start(installed, "sonde-report", "x.jsonl")
    assert done.returncode == 0
    assert done.stdout.endswith("start_python.py sonde_tools x.jsonl\n")


def test_python_looks_in_the_folders_of_a_package_and_never_where_the_user_is(tmp_path):
    folder = tmp_path / "lib"
    brought = folder / "python/{}.{}".format(*sys.version_info[:2])
    brought.mkdir(parents=True)
    (folder / "python/any").mkdir()
    shutil.copy2(ROOT / "tools/start_python.py", folder)
    for place, text in ((folder, "own"), (brought, "brought"), (folder / "python/any", "any")):
        (place / f"{text}_module.py").write_text(f"print({text!r})")
    (folder / "asked.py").write_text("import own_module, brought_module, any_module, sys; print(sys.argv[1:])")
    user = tmp_path / "user"
    user.mkdir()
    for name in ("own_module", "statistics", "runpy", "brought_module"):
        (user / f"{name}.py").write_text("print('of the user')")
    command = [sys.executable, "-E", folder / "start_python.py", "asked", "a b"]
    done = subprocess.run(command, cwd=user, env={"PYTHONPATH": str(user)}, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "own\nbrought\nany\n['a b']\n"), done.stderr


def test_without_such_a_python_a_package_says_which_it_wants(installed):
    add_python(installed, "python3", "3.8")
    done = start(installed, "sonde-compare")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "sonde compare: it brings its packages for Python 3.91 and 3.93 along, and there is none of these here; "
        "install one\n"
    )
