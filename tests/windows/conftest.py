"""The program for Windows, under Wine where this is not Windows, and this system's own to hold it against."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# It is started and read as this system's program is.
sys.path[:0] = [str(ROOT / "tests/program"), str(ROOT / "tests/support")]

pytest.register_assert_rewrite("program_runs", "record_checks")

from program_runs import Sonde, program_of  # noqa: E402
from record_checks import schema_check  # noqa: E402


@pytest.fixture(scope="session")
def windows_program():
    return program_of("SONDE_WINDOWS_PROGRAM", "build/windows/sonde.exe")


@pytest.fixture(scope="session")
def native_program():
    return program_of("SONDE_PROGRAM", "build/test/sonde")


@pytest.fixture(scope="session", autouse=True)
def services():
    """Wine's own processes, which outlive the program that they are started for, and would hold its output open."""
    quiet = {name: subprocess.DEVNULL for name in ("stdin", "stdout", "stderr")}
    subprocess.run(["wineserver", "--persistent"], **quiet, check=False)
    subprocess.run(["wine", "wineboot"], **quiet, check=True, timeout=300)
    yield
    subprocess.run(["wineserver", "--kill"], **quiet, check=False)


@pytest.fixture
def sonde(windows_program, tmp_path):
    """The program for Windows in an empty folder."""
    return Sonde(windows_program, tmp_path, starter=("wine",), timeout_seconds=600)


@pytest.fixture
def native_sonde(native_program, tmp_path):
    """This system's own in the same folder."""
    return Sonde(native_program, tmp_path, timeout_seconds=600)


@pytest.fixture(scope="session")
def valid():
    """Says that all records are as the schema describes them."""
    return schema_check()
