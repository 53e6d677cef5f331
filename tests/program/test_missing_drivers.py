"""No loader or no driver for an API: the program says what to install and goes on with the other."""

import json
import subprocess
from pathlib import Path

import pytest
from program_runs import NO_OPENCL_DRIVER, NO_VULKAN_DRIVER, ONE_POINT, of_kind

SPOKEN = {"opencl": "OpenCL", "vulkan": "Vulkan"}
DRIVERS = {"opencl": NO_OPENCL_DRIVER, "vulkan": NO_VULKAN_DRIVER}
HIDE = Path(__file__).with_name("hidden_library.c")
LOADERS = {"opencl": ["libOpenCL.so.1", "libOpenCL.so"], "vulkan": ["libvulkan.so.1", "libvulkan.so"]}
# What to install, by what is missing.
PACKAGES = {
    ("driver", "opencl"): "pocl-opencl-icd",
    ("driver", "vulkan"): "mesa-vulkan-drivers",
    ("loader", "opencl"): "ocl-icd-libopencl1",
    ("loader", "vulkan"): "libvulkan1",
}


@pytest.fixture
def without(tmp_path, compiler):
    """The environment in which something is missing; a loader is hidden from all that open it by name."""

    def environment(what, api):
        if what == "driver":
            return DRIVERS[api]
        hidden = tmp_path / "hidden.so"
        subprocess.run(
            [compiler, "-shared", "-fPIC", f'-DHIDDEN="{LOADERS[api][1]}"', "-o", hidden, HIDE, "-ldl"], check=True
        )
        return {"LD_PRELOAD": str(hidden)}

    return environment


def other_api(api):
    return "vulkan" if api == "opencl" else "opencl"


@pytest.mark.parametrize(("what", "api"), PACKAGES)
def test_says_what_to_install_and_measures_through_the_other(sonde, valid, both_cpu, without, what, api):
    done = sonde("run", "--device", "cpu", *ONE_POINT, "-o", "run.jsonl", env=without(what, api))
    assert done.status == 0
    assert PACKAGES[what, api] in done.err
    assert sum(SPOKEN[api] + ": " in line for line in done.said) == 1
    records = sonde.records()
    valid(records)
    # The CPU itself needs no driver.
    assert {sample["api"] for sample in of_kind(records, "sample")} == {"opencl", "vulkan", "cpu"} - {api}
    skips = [skip for skip in of_kind(records, "skip") if skip["api"] == api]
    # Those that the other API measured or gave a reason for, in the same order: whatever probes there are.
    asked = dict.fromkeys(one["probe"] for one in records if one.get("api") == other_api(api))
    assert len(asked) >= 7 and [skip["probe"] for skip in skips] == list(asked)
    for skip in skips:
        assert (skip["device"], skip["api"]) == ("cpu", api)
        assert f"no {SPOKEN[api]} {what}" in skip["reason"] and PACKAGES[what, api] in skip["reason"]
    assert of_kind(records, "device")[0][api] is None
    assert (records[-1]["status"], records[-1]["skips"]) == ("complete", len(of_kind(records, "skip")))


@pytest.mark.parametrize(("what", "api"), PACKAGES)
def test_list_says_what_to_install(sonde, both_cpu, without, what, api):
    done = sonde("list", env=without(what, api))
    assert done.status == 0
    assert PACKAGES[what, api] in done.err and PACKAGES[what, api] in done.out


@pytest.mark.parametrize("api", LOADERS)
def test_a_loader_that_is_there_and_cannot_be_loaded_is_not_called_missing(sonde, both_cpu, tmp_path, api):
    for name in LOADERS[api]:
        (tmp_path / name).touch()
    done = sonde("list", env={"LD_LIBRARY_PATH": str(tmp_path)})
    assert done.status == 0
    assert f"the {SPOKEN[api]} loader is there, and cannot be loaded" in done.err
    assert PACKAGES["loader", api] in done.err and "file too short" in done.err
    assert f"no {SPOKEN[api]} loader" not in done.err


@pytest.mark.parametrize("api", ["opencl", "vulkan"])
def test_the_only_api_asked_for_is_missing(sonde, both_cpu, without, api):
    words = ("run", "--device", "cpu", "--api", api, *ONE_POINT, "-o", "run.jsonl")
    done = sonde(*words, env=without("driver", api))
    assert (done.status, done.out) == (2, "")
    assert PACKAGES["driver", api] in done.err
    assert list(sonde.folder.iterdir()) == []


NEITHER = NO_OPENCL_DRIVER | NO_VULKAN_DRIVER


@pytest.mark.parametrize("device", [[], ["--device", "cpu"]], ids=["the default", "the cpu"])
def test_with_neither_the_cpu_is_measured_by_native_code_and_the_user_learns_what_to_install(sonde, valid, device):
    done = sonde("run", *device, *ONE_POINT, "-o", "run.jsonl", env=NEITHER)
    assert done.status == 0
    assert done.err.count("pocl-opencl-icd") == done.err.count("mesa-vulkan-drivers") == 1
    if not device:
        assert "No GPU found: the CPU is measured instead, by native code" in done.err
    records = sonde.records()
    valid(records)
    assert {sample["api"] for sample in of_kind(records, "sample")} == {"cpu"}


def test_with_neither_what_needs_a_driver_is_refused_and_nothing_is_written(sonde):
    done = sonde("run", "--probe", "latency", *ONE_POINT, env=NEITHER)
    assert (done.status, done.out) == (2, "")
    assert done.err.count("pocl-opencl-icd") == done.err.count("mesa-vulkan-drivers") == 1
    assert "device" in done.said[-1] and len(done.said) <= 3
    assert list(sonde.folder.iterdir()) == []


def test_list_with_neither_shows_the_cpu_alone(sonde):
    done = sonde("list", "--json", env=NEITHER)
    assert done.status == 0
    (cpu,) = json.loads(done.out)
    assert (cpu["device"], cpu["opencl"], cpu["vulkan"]) == ("cpu", None, None)
    assert "pocl-opencl-icd" in done.err and "mesa-vulkan-drivers" in done.err
