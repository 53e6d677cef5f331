"""A driver that fails in one call: that costs its API alone, and is told."""

import pytest
from fault_layers import OTHERS_DISTURB, silence_limit_for
from program_runs import ONE_POINT, of_kind

# What the driver does, and what the record says of it.
OPENCL = {
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
    "clWaitForEvents@9=hang": "reported nothing",
}
VULKAN = {
    "vkCreateDevice@1=-3": "VK_ERROR_INITIALIZATION_FAILED",
    "vkAllocateMemory@1=-2": "VK_ERROR_OUT_OF_DEVICE_MEMORY",
    "vkCreateShaderModule@1=-1": "VK_ERROR_OUT_OF_HOST_MEMORY",
    "vkCreateComputePipelines@1=-3": "VK_ERROR_INITIALIZATION_FAILED",
    "vkQueueSubmit@7=-4": "VK_ERROR_DEVICE_LOST",
    "vkWaitForFences@7=-4": "VK_ERROR_DEVICE_LOST",
    "vkWaitForFences@7=2": "VK_TIMEOUT",
    "vkCmdCopyBuffer@1+=garble": "",
    "vkGetQueryPoolResults@1+=still": "clock",
    "vkGetQueryPoolResults@1+=backwards": "clock",
    "vkWaitForFences@9=crash": "signal 6",
    "vkWaitForFences@9=exit": "before it was done",
    "vkWaitForFences@9=hang": "reported nothing",
}
CASES = [("opencl", fault) for fault in OPENCL] + [("vulkan", fault) for fault in VULKAN]


# What the other API measures in a second.
CHEAP = {
    "opencl": ("--probe", "zero-copy", "--sizes", "64K:64K", "--time", "1"),
    "vulkan": ("--probe", "latency", *ONE_POINT),
}


@pytest.mark.parametrize(("api", "fault"), CASES, ids=[fault for _, fault in CASES])
def test_a_fault_before_the_probes_costs_its_api_alone_and_is_told(sonde, valid, layers, api, fault):
    words = ("run", "--device", "cpu", *CHEAP[api], *silence_limit_for(fault), "-o", "run.jsonl")
    done = sonde(*words, env=layers(fault), timeout=300)
    records = sonde.records()
    valid(records)
    told = [record for kind in ("error", "skip") for record in of_kind(records, kind) if record["api"] == api]
    # What helps to measure may fail of it, and the probe, and be given up: each says so once.
    assert 1 <= len(told) <= 3 and len({record["reason"] for record in told}) == len(told), told
    # Where the API cannot be opened, it is not there; the other one's answer is enough then.
    not_there = fault.startswith("vkAllocateMemory@1=")
    assert done.status == (0 if not_there else 1)
    assert bool(of_kind(records, "error")) != not_there
    said = (OPENCL | VULKAN)[fault]
    assert any(said in record["reason"] for record in told), told
    disturbed = {skip["api"] for skip in of_kind(records, "skip") if OTHERS_DISTURB in skip["reason"]}
    measured = {sample["api"] for sample in of_kind(records, "sample")}
    assert api not in measured and {"opencl", "vulkan"} - {api} <= measured | disturbed
    assert records[-1]["record"] == "end"


def test_without_a_fault_the_layers_change_nothing(sonde, layers):
    words = ("run", "--device", "cpu", "--probe", "latency", *ONE_POINT, "-o", "run.jsonl")
    assert sonde(*words, env=layers()).status == 0
    assert {sample["api"] for sample in of_kind(sonde.records(), "sample")} == {"opencl", "vulkan"}


def test_maps_that_copy_are_no_zero_copy(sonde, valid, layers):
    words = ("run", "--device", "cpu", "--api", "opencl", "--probe", "zero-copy", "--sizes", "64K:4M")
    env = layers("clEnqueueMapBuffer@1+=copies")
    assert sonde(*words, "--time", "1", "-o", "run.jsonl", env=env, timeout=300).status == 0
    records = sonde.records()
    valid(records)
    mapped = ("device", "alloc-host-ptr", "use-host-ptr")
    found = [one for one in of_kind(records, "finding") if one["series"]["memory"] in mapped]
    assert {one["series"]["memory"] for one in found} == set(mapped)
    # Where others disturb nobody can tell; that nothing is copied is never said.
    assert {one["finding"] for one in found} <= {"copies", "unclear"}, found


def test_a_device_that_cannot_be_opened_is_an_error_of_each_probe(sonde, valid, layers):
    words = ("run", "--device", "cpu", "--api", "opencl", "--probe", "latency,bandwidth,copy", *ONE_POINT)
    done = sonde(*words, "-o", "run.jsonl", env=layers("clCreateContext@1+=-6"))
    assert done.status == 1
    records = sonde.records()
    valid(records)
    errors = of_kind(records, "error")
    assert sorted(error["probe"] for error in errors) == ["bandwidth", "copy", "latency"]
    assert all("CL_OUT_OF_HOST_MEMORY" in error["reason"] and "x" not in error for error in errors)
    assert not of_kind(records, "sample")
