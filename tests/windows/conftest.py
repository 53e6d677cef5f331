"""The program for Windows, under Wine where this is not Windows."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# It is started and read as this system's program is.
sys.path[:0] = [str(ROOT / "tests/program"), str(ROOT / "tests/support")]

from program_runs import Sonde  # noqa: E402


@pytest.fixture(scope="session")
def windows_program():
    path = Path(os.environ.get("SONDE_WINDOWS_PROGRAM", ROOT / "build/windows/sonde.exe"))
    if not path.is_file():
        pytest.fail(f"{path} is not there: SONDE_WINDOWS_PROGRAM names the program to test")
    return path.absolute()


@pytest.fixture
def sonde(windows_program, tmp_path):
    """The program for Windows in an empty folder."""
    return Sonde(windows_program, tmp_path, starter=("wine",), timeout_seconds=300)
