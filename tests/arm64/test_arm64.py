"""The program for Arm64, under qemu, against this machine's own (SONDE_PROGRAM): no speed, but the same numbers.

What is measured under qemu tells nothing of a processor; simulated devices do not depend on it.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))

pytest.register_assert_rewrite("record_checks")

from record_checks import assert_same_numbers, fields  # noqa: E402

LAVAPIPE = ROOT / "build/arm64-sysroot/usr/share/vulkan/icd.d/lvp_icd.aarch64.json"
MODELS = ["strix-halo", "rx-7900-xtx", "rtx-4090", "h200"]


def start(program, folder, *words, **environment):
    """How a program ended; it is given as the words that start it."""
    return subprocess.run(
        [*program, *words], cwd=folder, env={**os.environ, "VK_DRIVER_FILES": str(LAVAPIPE), **environment},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=1200, check=False,
    )  # fmt: skip


@pytest.fixture(scope="session")
def arm():
    """The words that start the program for Arm64."""
    return [ROOT / "tools/arm64_run", ROOT / "build/arm64/sonde"]


@pytest.fixture(scope="session")
def here():
    """The words that start this machine's own."""
    return [os.environ.get("SONDE_PROGRAM", ROOT / "build/test/sonde")]


def records(program, folder, *words, **environment):
    """All records of a run that ended well."""
    done = start(program, folder, "run", *words, "--silence-limit", "300", "-o", "run.jsonl", **environment)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in (folder / "run.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("model", MODELS)
def test_a_simulated_device_gives_the_same_numbers_as_here(arm, here, tmp_path, model):
    both = []
    for name, program in (("arm", arm), ("here", here)):
        folder = tmp_path / name
        folder.mkdir()
        words = ("--device", f"model:{model}", "--probe", "latency,bandwidth", "--sizes", "16K:256K", "--time", "8")
        both.append(records(program, folder, *words, "--seed", "11"))
    assert_same_numbers(*both, more_samples_than=50)


def test_it_lists_the_driver_that_is_there(arm, tmp_path):
    done = start(arm, tmp_path, "list", "--json")
    assert done.returncode == 0, done.stderr
    (cpu,) = [device for device in json.loads(done.stdout) if device["type"] == "cpu"]
    assert "llvmpipe" in cpu["vulkan"]["name"] or "llvmpipe" in json.dumps(cpu)


def test_it_measures_through_vulkan(arm, tmp_path):
    words = ("--device", "cpu", "--api", "vulkan", "--probe", "latency", "--sizes", "4K:16K", "--time", "8")
    measured = records(arm, tmp_path, *words)
    samples = fields(measured, "sample", ("api", "probe", "values"))
    assert {one[:2] for one in samples} == {("vulkan", "latency")}
    assert all(value > 0 for one in samples for value in one[2])
    assert fields(measured, "error", ("reason",)) == []
