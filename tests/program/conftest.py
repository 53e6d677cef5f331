"""The program under test (SONDE_PROGRAM), what it finds on this machine, and one run that many tests look at."""

import collections
import contextlib
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import fake_opencl
import fault_layers
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))

pytest.register_assert_rewrite("program_runs", "record_checks", "refusals", "terminals")

from program_runs import Sonde, of_kind, program_of  # noqa: E402
from record_checks import schema_check  # noqa: E402

# Programs are started with the signals that they are sent: whoever started the tests may have had these ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(scope="session")
def program():
    return program_of("SONDE_PROGRAM", "build/test/sonde")


@pytest.fixture
def sonde(program, tmp_path):
    """The program in an empty folder."""
    folder = tmp_path / "work"
    folder.mkdir()
    return Sonde(program, folder)


@pytest.fixture
def drawn_by_python(sonde):
    """For a command of the Python package, by name and its packages: what its environment needs; else skips."""

    def environment(command, *packages):
        if not (sonde.program.parent / f"sonde-{command}").exists():
            pytest.skip(f"no sonde-{command} beside this program")
        if not all(map(importlib.util.find_spec, packages)):
            pytest.skip(f"the Python packages of sonde {command} are not installed (tools/setup)")
        return {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}

    return environment


@pytest.fixture(scope="session")
def listed(program):
    """What `sonde list --json` says of this machine."""
    text = subprocess.run([program, "list", "--json"], stdout=subprocess.PIPE, timeout=90, check=True).stdout
    return json.loads(text)


def cpu_through(listed, api):
    return any(device["type"] == "cpu" and device[api] is not None for device in listed)


@pytest.fixture(scope="session")
def opencl_cpu(listed):
    if not cpu_through(listed, "opencl"):
        pytest.skip("no OpenCL driver for the CPU here (PoCL: pocl-opencl-icd)")


@pytest.fixture(scope="session")
def vulkan_cpu(listed):
    if not cpu_through(listed, "vulkan"):
        pytest.skip("no Vulkan driver for the CPU here (lavapipe: mesa-vulkan-drivers)")


@pytest.fixture(scope="session")
def both_cpu(opencl_cpu, vulkan_cpu):
    """Both drivers for the CPU are here."""


@pytest.fixture(scope="session")
def valid():
    """Says that all records are as the schema describes them."""
    return schema_check()


def has_later_stages(records):
    """Whether each API has streams of a later stage of their plan, and a point has had a visit of another process."""
    apis = {one["api"] for one in of_kind(records, "sample", probe="bandwidth") if one["series"]["pattern"] == "copy"}
    points = collections.defaultdict(set)
    for one in of_kind(records, "sample"):
        points[json.dumps([one[name] for name in ("api", "probe", "series", "x", "unit")])] |= set(one["process"])
    return apis == {"opencl", "vulkan"} and max(map(len, points.values())) > 1


@pytest.fixture(scope="session")
def cpu_run(program, both_cpu, tmp_path_factory):
    """The CPU through both APIs: how the program ended, its records, samples and last record."""
    sonde = Sonde(program, tmp_path_factory.mktemp("cpu"))
    words = ("--device", "cpu", "--sizes", "4K:8K", "--seed", "7", "-o", "run.jsonl")
    done = sonde.with_time_enough(*words, seconds=30, has_all=has_later_stages)
    records = sonde.records()
    return SimpleNamespace(
        done=done,
        file=sonde.folder / "run.jsonl",
        records=records,
        device=of_kind(records, "device")[0],
        samples=of_kind(records, "sample"),
        end=records[-1],
    )


@pytest.fixture
def model_file(sonde):
    """Writes a small model device, changed as asked (None takes a field away), and returns its selector."""

    def write(file_name="model.json", **changed):
        model = {
            "name": "little",
            "memory_bytes": 1 << 24,
            "seed": 5,
            "noise": {"relative": 0.02, "outlier_share": 0.05, "outlier_factor": 3},
            "levels": [{"name": "L1", "bytes": 16384, "latency_ns": 40}, {"name": "DRAM", "latency_ns": 300}],
        } | changed
        model = {field: value for field, value in model.items() if value is not None}
        file = sonde.folder / file_name
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(model))
        return f"model:{file_name}"

    return write


@pytest.fixture(scope="session")
def compiler():
    """A C compiler."""
    found = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if found is None:
        pytest.skip("no C compiler here to make a broken driver or loader with")
    return found


@pytest.fixture(scope="session")
def fake_loader(both_cpu, compiler, tmp_path_factory):
    """A folder with a libOpenCL.so.1 that does what FAULT says."""
    folder = tmp_path_factory.mktemp("broken driver")
    fake_opencl.build(compiler, ROOT, folder)
    return folder


@pytest.fixture(scope="session")
def layers(both_cpu, tmp_path_factory):
    """An environment in which drivers fail as a script says."""
    return fault_layers.build(tmp_path_factory.mktemp("layers"))


@pytest.fixture
def busy_machine():
    """Another program that takes a core for as long as it is entered."""

    @contextlib.contextmanager
    def entered():
        other = subprocess.Popen([sys.executable, "-c", "while True: pass"])
        try:
            yield
        finally:
            other.kill()
            other.wait()

    return entered
