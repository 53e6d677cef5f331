"""Makes the Python package importable, and one report that the tests of its parts share."""

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.setdefault("SONDE_PROGRAM", str(ROOT / "build/test/sonde")))
sys.path[:0] = [str(ROOT / "tools"), str(Path(__file__).parent)]


@pytest.fixture(scope="session")
def root():
    """The repository's folder."""
    return ROOT


@pytest.fixture(scope="session")
def program():
    """The program whose first screens the page repeats; skips the test where it is not built."""
    if not PROGRAM.exists():
        pytest.skip(f"no {PROGRAM}")
    return PROGRAM


@pytest.fixture(scope="session")
def report(tmp_path_factory):
    """One full report of a synthetic run: its record file, page, pictures and tables."""
    import synthetic

    return _made(tmp_path_factory.mktemp("report"), synthetic.records())


@pytest.fixture(scope="session")
def full_report(tmp_path_factory):
    """The same of a run that also has levels, findings and the curves of other orders."""
    import synthetic

    return _made(tmp_path_factory.mktemp("full"), synthetic.full_records())


def _made(folder, lines):
    import synthetic
    from sonde_tools.report import main

    file = synthetic.write(folder / "run.jsonl", lines)
    out = folder / "new folder" / "report.html"
    made = {name: folder / "made" / name for name in ("png", "svg", "csv")}
    status = main(
        [str(file), "-o", str(out), *(word for name, path in made.items() for word in (f"--{name}", str(path)))]
    )
    return SimpleNamespace(file=file, out=out, status=status, **made)
