"""The program for Windows, under Wine where this is not Windows, and the program of this system that it is compared with."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))


@dataclass(frozen=True)
class Program:
    """How a program is started, and the folder that it works in."""

    command: tuple
    folder: Path

    def __call__(self, *words, timeout=300, **changed):
        return subprocess.run(
            [*self.command, *words],
            cwd=self.folder,
            env={**os.environ, **changed},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=timeout,
            check=False,
        )

    def start(self, *words):
        return subprocess.Popen(
            [*self.command, *words],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )

    def records(self, name):
        """Of whole lines: one that is killed may leave an unfinished one."""
        lines = (self.folder / name).read_text(encoding="utf-8").split("\n")[:-1]
        return [json.loads(line) for line in lines]


def of_kind(records, kind):
    return [record for record in records if record["record"] == kind]


@pytest.fixture(scope="session")
def windows_program():
    path = Path(os.environ.get("SONDE_WINDOWS_PROGRAM", ROOT / "build/windows/sonde.exe"))
    if not path.is_file():
        pytest.fail(f"{path} is not there: SONDE_WINDOWS_PROGRAM names the program to test")
    return path.absolute()


@pytest.fixture
def sonde(windows_program, tmp_path):
    """The program for Windows in an empty folder."""
    return Program(("wine", str(windows_program)), tmp_path)


@pytest.fixture
def native_sonde(tmp_path):
    path = Path(os.environ.get("SONDE_PROGRAM", ROOT / "build/test/sonde"))
    if not path.is_file():
        pytest.skip(f"{path} is not there: SONDE_PROGRAM names the program of this system")
    return Program((str(path.absolute()),), tmp_path)


@pytest.fixture(scope="session")
def valid():
    """Says that all records are as the schema describes them."""
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((ROOT / "docs/records.schema.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)

    def check(records):
        for record in records:
            validator.validate(record)

    return check
