"""Makes the Python package importable, and one report that the tests of its parts share."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(Path(__file__).parent)]


@pytest.fixture(scope="session")
def root():
    """The repository's folder."""
    return ROOT


@pytest.fixture(scope="session")
def report(tmp_path_factory):
    """One full report of a synthetic run: its record file, page, pictures and tables."""
    import synthetic
    from sonde_tools.report import main

    folder = tmp_path_factory.mktemp("report")
    file = synthetic.write(folder / "run.jsonl", synthetic.records())
    out = folder / "new folder" / "report.html"
    made = {name: folder / "made" / name for name in ("png", "svg", "csv")}
    status = main(
        [str(file), "-o", str(out), *(word for name, path in made.items() for word in (f"--{name}", str(path)))]
    )
    return SimpleNamespace(file=file, out=out, status=status, **made)
