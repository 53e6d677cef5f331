"""Several devices, probes by name, and what becomes of the exit status when nothing could be measured."""

import pytest
from program_runs import ONE_POINT, by_vector_path, of_kind, sizes


def values_in(records):
    found = [(one["series"], one["x"], one["values"]) for one in of_kind(records, "sample")]
    assert found
    return found


def test_two_devices_in_one_record(sonde, valid, opencl_cpu):
    devices = ("--device", "cpu", "--device", "model:strix-halo")
    done = sonde("run", *devices, "--api", "opencl", *ONE_POINT, "-o", "run.jsonl")
    assert done.status == 0, done.err
    records = sonde.records()
    valid(records)
    told = [device["device"] for device in of_kind(records, "device")]
    assert told[0] == "cpu" and len(told) == 2
    assert [record["record"] for record in records[1:3]] == ["device", "device"]
    assert list(dict.fromkeys(sample["device"] for sample in by_vector_path(of_kind(records, "sample")))) == told
    for said in (done.out, sonde("show", "run.jsonl", "-v").out):
        assert all(device["name"].split()[0] in said for device in of_kind(records, "device")) and "simulated" in said


def test_a_device_named_twice_is_measured_once(sonde, model_file):
    device = model_file()
    assert sonde("run", "--device", device, "--device", device, *ONE_POINT, "-o", "run.jsonl").status == 0
    records = sonde.records()
    assert len(of_kind(records, "device")) == 1
    alone = sonde("run", "--device", device, *ONE_POINT, "-o", "alone.jsonl")
    assert alone.status == 0, alone.err
    assert values_in(records) == values_in(sonde.records("alone.jsonl"))


def test_sizes_beyond_the_memory_of_a_model_are_skipped(sonde, valid, model_file):
    words = ("run", "--device", model_file(memory_bytes=1 << 20), "--time", "1", "-o", "run.jsonl")
    done = sonde(*words)
    assert done.status == 0, done.out
    records = sonde.records()
    valid(records)
    assert max(sizes(of_kind(records, "sample"))) <= 1 << 20
    assert (records[-1]["status"], records[-1]["errors"]) == ("complete", 0)


@pytest.mark.parametrize("files", [("a.json", "b.json"), ("one/a.json", "two/a.json")], ids=str)
def test_two_models_of_one_name_have_ids_of_their_own(sonde, model_file, files):
    devices = [model_file(file, seed=seed) for seed, file in enumerate(files)]
    done = sonde("run", *(word for device in devices for word in ("--device", device)), *ONE_POINT, "-o", "run.jsonl")
    assert done.status == 0
    records = sonde.records()
    told = [device["device"] for device in of_kind(records, "device")]
    assert len(set(told)) == 2
    assert list(dict.fromkeys(sample["device"] for sample in by_vector_path(of_kind(records, "sample")))) == told


@pytest.mark.parametrize("probes", [["latency,latency"], ["latency", "--probe", "latency"]])
def test_a_probe_named_twice_is_run_once(sonde, model_file, probes):
    words = ("run", "--device", model_file(), *ONE_POINT)
    for file, named in (("once.jsonl", ["latency"]), ("run.jsonl", probes)):
        done = sonde(*words, "--probe", *named, "-o", file)
        assert done.status == 0, done.err
    assert values_in(sonde.records()) == values_in(sonde.records("once.jsonl"))


def whole_memory(listed):
    memory = next(device for device in listed if device["type"] == "cpu")["memory_bytes"]
    return ("--sizes", f"{memory}:{memory}", "--time", "1")


def test_status_1_when_a_probe_asked_by_name_measured_nothing(sonde, valid, listed, opencl_cpu):
    words = ("run", "--device", "cpu", "--api", "opencl", "--probe", "latency", *whole_memory(listed))
    done = sonde(*words, "-o", "run.jsonl")
    assert done.status == 1
    records = sonde.records()
    valid(records)
    assert of_kind(records, "sample") == []
    skips = of_kind(records, "skip")
    assert skips
    tables = sonde("show", "run.jsonl", "-v").text
    for skip in skips:
        assert (skip["device"], skip["api"], skip["probe"]) == ("cpu", "opencl", "latency")
        assert skip["reason"] in tables
    assert records[-1]["status"] == "complete"


def test_status_0_when_a_probe_nobody_named_measured_nothing(sonde, listed, opencl_cpu):
    done = sonde("run", "--device", "cpu", "--api", "opencl", *whole_memory(listed), "-o", "run.jsonl")
    assert done.status == 0
    assert sonde.records()[-1]["skips"] >= 1
    # Arithmetic has no working set, whose size could have been asked for.
    assert {sample["probe"] for sample in of_kind(sonde.records(), "sample")} <= {"compute"}


def test_a_time_limit_ends_the_run_and_keeps_what_was_measured(sonde, valid, opencl_cpu):
    words = ("run", "--device", "cpu", "--sizes", "4K:64M", "--time", "60", "--time-limit", "4")
    done = sonde(*words, "-o", "run.jsonl", timeout=30)
    assert done.seconds < 12
    records = sonde.records()
    valid(records)
    assert records[-1]["record"] == "end"
    assert of_kind(records, "sample")
    assert any("time-limit" in record["reason"] for record in records if "reason" in record)


def test_the_largest_size_asked_for_is_measured_and_rounding_is_said(sonde, model_file):
    def sizes_of(asked):
        done = sonde("run", "--device", model_file(), "--sizes", asked, "--probe", "latency", "--time", "1",
                     "-o", f"{asked.replace(':', '-')}.jsonl")  # fmt: skip
        samples = of_kind(sonde.records(f"{asked.replace(':', '-')}.jsonl"), "sample")
        sizes = {one["x"]["bytes"] for one in samples if one["series"].get("order", "cycle") == "cycle"}
        return min(sizes), max(sizes), done.err

    smallest, largest, said = sizes_of("5K:16K")
    assert (smallest, largest) == (5 << 10, 16 << 10) and "rounded" not in said
    smallest, largest, said = sizes_of("4225:5000")
    assert (smallest, largest) == (4224, 4992) and "whole lines of 64 B on little" in said


def test_a_time_limit_below_a_millisecond_is_one(sonde, model_file):
    done = sonde("run", "--device", model_file(), "--time-limit", "0.0001", "-o", "run.jsonl")
    assert done.seconds < 20 and not of_kind(sonde.records("run.jsonl"), "sample")
