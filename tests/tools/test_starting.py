"""starting.status_of: how `sonde report` and `sonde compare` begin and end."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
START = "import sys; from sonde_tools import starting; sys.exit(starting.status_of('compare', {packages}, 'asked'))"


def run(folder, main, packages=(), **environment):
    (folder / "asked.py").write_text(main)
    paths = os.pathsep.join((str(ROOT / "tools"), str(folder)))
    return subprocess.run(
        [sys.executable, "-c", START.format(packages=list(packages))],
        env={**os.environ, "PYTHONPATH": paths, **environment}, capture_output=True, timeout=60,
    )  # fmt: skip


def test_the_status_is_what_the_command_says(tmp_path):
    assert run(tmp_path, "def main(): return 1").returncode == 1


def test_an_error_that_nobody_expected_is_no_verdict(tmp_path):
    done = run(tmp_path, "def main(): raise KeyError('x')")
    assert done.returncode == 2 and b"KeyError: 'x'" in done.stderr
    assert run(tmp_path, "import nothing_of_this_name").returncode == 2


def test_an_output_of_another_encoding_gets_what_it_can_show(tmp_path):
    done = run(tmp_path, "def main(): print('only – in ü'); return 0", PYTHONIOENCODING="latin-1", PYTHONUTF8="0")
    assert (done.returncode, done.stdout) == (0, "only ? in ü\n".encode("latin-1"))


def test_packages_that_are_missing_are_named(tmp_path):
    done = run(tmp_path, "def main(): return 0", ["nothing_of_this_name"])
    assert done.returncode == 2 and b"Python packages are missing (nothing_of_this_name)" in done.stderr
