"""Kinds of memory, end to end: a simulated device's flags come back as findings, a driver's kinds are all spoken of."""

from program_runs import of_kind

# A cache in front of memory, which host memory bypasses.
LEVELS = [
    {"name": "L1", "bytes": 16384, "latency_ns": 40},
    {"name": "side", "bytes": 2 << 20, "latency_ns": 150, "memory_side": True},
    {"name": "DRAM", "latency_ns": 300},
]
HOST = {"latency_ns": 300, "bypasses_memory_side_cache": True, "zero_copy": ["alloc-host-ptr", "svm-fine"]}
COPY = {"to_device_gbps": 20, "to_host_gbps": 10, "latency_us": 5}


def found(records, probe):
    return {
        (finding["series"].get("memory"), finding["series"].get("direction"), finding["finding"]): finding
        for finding in of_kind(records, "finding", probe=probe)
    }


def test_what_a_model_says_of_its_memory_comes_back(sonde, valid, model_file):
    device = model_file(memory_bytes=1 << 26, noise=None, levels=LEVELS, host_memory=HOST, copy=COPY)
    done = sonde("run", "--device", device, "--probe", "zero-copy,host-memory", "--sizes", "64K:4M",
                 "--time", "5", "-v", "-o", "run.jsonl")  # fmt: skip
    assert done.status == 0, done.err
    records = sonde.records()
    valid(records)
    shared = found(records, "zero-copy")
    for direction, gbps in (("to-device", 20), ("to-host", 10)):
        assert ("alloc-host-ptr", direction, "zero-copy") in shared
        assert ("svm-fine", direction, "zero-copy") in shared
        assert abs(shared["use-host-ptr", direction, "copies"]["value"] / gbps - 1) < 0.1
    assert ("svm-system", None, "unsupported") in shared
    costs = found(records, "host-memory")
    assert ("alloc-host-ptr", None, "bypasses-last-level-cache") in costs
    assert ("svm-coarse", None, "like-device-memory") in costs
    assert "alloc-host-ptr zero-copy zero-copy bypasses-last-level-cache" in done.text
    assert all(skip["reason"] for skip in of_kind(records, "skip"))


def test_every_kind_that_a_driver_has_is_measured_or_has_its_reason(sonde, valid, both_cpu):
    words = ("--probe", "zero-copy", "--sizes", "64K:2M", "--time", "1", "-o", "run.jsonl")
    done = sonde("run", "--device", "cpu", *words)
    assert done.status == 0, done.err
    records = sonde.records()
    valid(records)
    for api, kinds in (("opencl", {"device", "alloc-host-ptr", "use-host-ptr", "svm-coarse", "svm-fine", "svm-system"}),
                       ("vulkan", {"imported-host"})):  # fmt: skip
        measured = {sample["series"]["memory"] for sample in of_kind(records, "sample", api=api)}
        skipped = {skip["series"]["memory"] for skip in of_kind(records, "skip", api=api)}
        assert kinds <= measured | skipped
        assert not measured & skipped
    assert not of_kind(records, "error")
