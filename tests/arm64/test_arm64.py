"""The program for Arm64, under qemu, against this machine's own (SONDE_PROGRAM): no speed, but the same numbers.

What is measured under qemu tells nothing of a processor; simulated devices do not depend on it.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LAVAPIPE = ROOT / "build/arm64-sysroot/usr/share/vulkan/icd.d/lvp_icd.aarch64.json"
MODELS = ["strix-halo", "rx-7900-xtx", "rtx-4090", "h200"]
# Records have six digits. Both find the same by the same arithmetic, but for the last places of the C library.
ROUNDING = 2e-5


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


def of_kind(all_records, kind, *fields):
    return [tuple(one.get(name) for name in fields) for one in all_records if one["record"] == kind]


@pytest.mark.parametrize("model", MODELS)
def test_a_simulated_device_gives_the_same_numbers_as_here(arm, here, tmp_path, model):
    both = []
    for name, program in (("arm", arm), ("here", here)):
        folder = tmp_path / name
        folder.mkdir()
        words = (
            "--device",
            f"model:{model}",
            "--probe",
            "latency,bandwidth",
            "--sizes",
            "16K:256K",
            "--effort",
            "quick",
        )
        both.append(records(program, folder, *words, "--seed", "11"))
    on_arm, on_this = both
    sample = ("device", "api", "probe", "series", "x", "unit", "values")
    assert of_kind(on_arm, "sample", *sample) == of_kind(on_this, "sample", *sample)
    assert len(of_kind(on_arm, "sample", *sample)) > 50
    level = ("probe", "series", "level", "name", "bytes", "transition", "latency_ns", "bandwidth")
    levels = [of_kind(one, "level", *level) for one in both]
    assert len(levels[0]) == len(levels[1]) > 3
    for found, wanted in zip(*levels, strict=True):
        assert found[:4] == wanted[:4]
        for one, other in zip(found[4:], wanted[4:], strict=True):
            assert one == (pytest.approx(other, rel=ROUNDING) if other else other)
    counts = ("status", "samples", "skips", "errors")
    assert of_kind(on_arm, "end", *counts) == of_kind(on_this, "end", *counts)


def test_it_lists_the_driver_that_is_there(arm, tmp_path):
    done = start(arm, tmp_path, "list", "--json")
    assert done.returncode == 0, done.stderr
    (cpu,) = [device for device in json.loads(done.stdout) if device["type"] == "cpu"]
    assert "llvmpipe" in cpu["vulkan"]["name"] or "llvmpipe" in json.dumps(cpu)


def test_it_measures_through_vulkan(arm, tmp_path):
    words = ("--device", "cpu", "--api", "vulkan", "--probe", "latency", "--sizes", "4K:16K", "--effort", "quick")
    measured = records(arm, tmp_path, *words)
    samples = of_kind(measured, "sample", "api", "probe", "values")
    assert {one[:2] for one in samples} == {("vulkan", "latency")}
    assert all(value > 0 for one in samples for value in one[2])
    assert of_kind(measured, "error", "reason") == []
