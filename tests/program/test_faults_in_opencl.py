"""An OpenCL driver that fails in one call (tests/layers/opencl_faults.cpp, a layer under the real loader)."""

import shutil
import subprocess
from pathlib import Path

import pytest
from program_runs import ONE_POINT, of_kind

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def layer(tmp_path_factory, opencl_cpu, vulkan_cpu):
    """The layer, built."""
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler here")
    library = tmp_path_factory.mktemp("layer") / "opencl_faults.so"
    source = ROOT / "tests/layers/opencl_faults.cpp"
    words = ["-std=c++20", "-DCL_TARGET_OPENCL_VERSION=300", "-shared", "-fPIC", "-o", library, source]
    subprocess.run([compiler, *words], check=True)
    return library


# What the driver does, and what the record says of it.
FAULTS = {
    "clCreateContext@1=-6": "CL_OUT_OF_HOST_MEMORY",
    "clCreateBuffer@1=-4": "CL_MEM_OBJECT_ALLOCATION_FAILURE",
    "clBuildProgram@1=-11": "CL_BUILD_PROGRAM_FAILURE",
    "clEnqueueNDRangeKernel@7=-5": "CL_OUT_OF_RESOURCES",
    "clEnqueueNDRangeKernel@7=-36": "CL_INVALID_COMMAND_QUEUE",
    "clEnqueueReadBuffer@1+=garble": "",
    "clGetEventProfilingInfo@1+=still": "clock",
    "clGetEventProfilingInfo@1+=backwards": "clock",
    "clWaitForEvents@9=crash": "signal 6",
    "clWaitForEvents@9=exit": "before it was done",
    "clWaitForEvents@9=hang": "reported nothing for 3 s",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_costs_its_api_alone_and_is_told(sonde, valid, layer, fault):
    words = ("run", "--device", "cpu", "--probe", "latency", *ONE_POINT, "--silence-limit", "3", "-o", "run.jsonl")
    done = sonde(*words, env={"OPENCL_LAYERS": str(layer), "SONDE_FAULTS": fault})
    records = sonde.records()
    valid(records)
    told = [record for kind in ("error", "skip") for record in of_kind(records, kind) if record["probe"] == "latency"]
    assert {record["api"] for record in told} == {"opencl"}, told
    # Where the driver refused, as it may, the other API's answer is enough.
    assert done.status == (1 if of_kind(records, "error") else 0)
    assert any(FAULTS[fault] in record["reason"] for record in told), told
    assert {sample["api"] for sample in of_kind(records, "sample")} == {"vulkan"}
    assert records[-1]["record"] == "end"


def test_without_a_fault_the_layer_changes_nothing(sonde, layer):
    words = ("run", "--device", "cpu", "--probe", "latency", *ONE_POINT, "-o", "run.jsonl")
    assert sonde(*words, env={"OPENCL_LAYERS": str(layer)}).status == 0
    assert {sample["api"] for sample in of_kind(sonde.records(), "sample")} == {"opencl", "vulkan"}
