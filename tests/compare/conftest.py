"""Makes the Python package and the synthetic records of the report's tests importable."""

import base64
import gzip
import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [
    str(ROOT / "tools"),
    str(ROOT / "tests/report"),
    str(ROOT / "tests/support"),
    str(Path(__file__).parent),
]


@pytest.fixture(scope="session")
def root():
    """The repository's folder."""
    return ROOT


@pytest.fixture(scope="session")
def charts_of():
    """The specifications in a page (text) by the id of their places."""

    def charts(text):
        packed = re.search(r'id="report-data">(.*?)</script>', text)[1]
        return json.loads(gzip.decompress(base64.b64decode(packed)))["charts"]

    return charts


@pytest.fixture
def group(tmp_path):
    """Writes runs, each a list of records, as one side's folder, and returns the folder's name."""
    import synthetic

    def write(name, runs):
        folder = tmp_path / name
        folder.mkdir()
        for number, lines in enumerate(runs, start=1):
            synthetic.write(folder / f"{number}.jsonl", lines)
        return str(folder)

    return write


@pytest.fixture
def compare(capsys):
    """Compares two sides by the command line's JSON: exit status, the object, what was said on standard error."""
    import json

    from sonde_tools.compare.command import main

    def run(base, new, *words):
        status = main([base, new, "--format", "json", *words])
        said = capsys.readouterr()
        return status, json.loads(said.out) if said.out else None, said.err

    return run


@pytest.fixture
def verdicts(compare, group):
    """Compares two lists of runs: a dictionary of each feature to its JSON object, and the exit status."""

    def run(base, new, *words, name=""):
        status, found, _ = compare(group(f"base{name}", base), group(f"new{name}", new), *words)
        return {one["feature"]: one for one in found["features"]}, status

    return run
