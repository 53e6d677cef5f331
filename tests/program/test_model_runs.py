"""Simulated devices: labelled as such everywhere, and the same seed gives the same values."""

import json
import re
from pathlib import Path

import pytest
from program_runs import NO_OPENCL_DRIVER, NO_VULKAN_DRIVER, ONE_POINT, by_vector_path, main_levels, of_kind, sizes

DATA = Path(__file__).parent.parent / "data"
SWEEP = ("--sizes", "4K:64K")


def measured(sonde, device, *words, seconds=1, out="run.jsonl"):
    done = sonde("run", "--device", device, *SWEEP, "--time", str(seconds), *words, "-o", out)
    assert done.status == 0, done.err
    return of_kind(sonde.records(out), "sample")


def values(samples):
    return [(sample["x"], sample["values"]) for sample in samples]


@pytest.mark.parametrize("device", ["strix-halo", "rx-7900-xtx", "rtx-4090", "h200"])
def test_a_built_in_model_runs_and_says_simulated(sonde, valid, device):
    done = sonde("run", "--device", f"model:{device}", *ONE_POINT, "-o", "run.jsonl")
    assert done.status == 0, done.err
    assert "simulated" in done.err
    assert "simulated" in done.out.splitlines()[0]
    assert "Simulated" in sonde("show", "run.jsonl", "-v").out
    valid(sonde.records())


def test_a_model_from_a_file_says_simulated(sonde, valid, model_file):
    done = sonde("run", "--device", model_file(), *ONE_POINT, "-o", "run.jsonl")
    assert done.status == 0, done.err
    assert "little" in done.err and "simulated" in done.err
    assert "little, simulated" in done.out
    tables = sonde("show", "run.jsonl", "-v").out
    assert "little (simulated)" in tables and "Simulated latency" in tables
    records = sonde.records()
    valid(records)
    (device,) = of_kind(records, "device")
    assert (device["name"], device["type"], device["opencl"], device["vulkan"]) == ("little", "model", None, None)
    assert {(sample["api"], sample["device"]) for sample in of_kind(records, "sample")} == {("model", device["device"])}


def test_what_a_model_does_not_have_is_null(sonde, model_file):
    sonde("run", "--device", model_file(), *ONE_POINT, "-o", "run.jsonl")
    (device,) = of_kind(sonde.records(), "device")
    assert (device["uuid"], device["pci"]) == (None, None)


def test_the_curve_rises_where_the_file_says(sonde, model_file):
    samples = [one for one in by_vector_path(measured(sonde, model_file(noise=None))) if "order" not in one["series"]]
    medians = {sample["x"]["bytes"]: sorted(sample["values"])[len(sample["values"]) // 2] for sample in samples}
    assert medians[4096] == pytest.approx(40, rel=0.02)
    assert medians[16384] == pytest.approx(40, rel=0.02)
    assert medians[65536] > 150


def test_a_run_finds_the_levels_of_the_model_and_so_does_the_levels_command(sonde, valid, model_file):
    levels = [
        {"bytes": 16384, "line": 64, "ways": 16, "latency_ns": 20},
        {"bytes": 524288, "line": 64, "ways": 16, "latency_ns": 90},
        {"latency_ns": 400},
    ]
    done = sonde(
        "run",
        "--device",
        model_file(levels=levels),
        "--probe",
        "latency,bandwidth",
        "--sizes",
        "1K:4M",
        "--time",
        "20",
        "-v",
        "--seed",
        "7",
        "-o",
        "run.jsonl",
    )
    assert done.status == 0, done.err
    records = sonde.records()
    valid(records)
    found = main_levels(records)
    assert [one["level"] for one in found] == [1, 2, 3]
    assert [one["latency_ns"]["value"] for one in found] == pytest.approx([20, 90, 400], rel=0.02)
    assert [one["bytes"]["value"] for one in found[:2]] == pytest.approx([16384, 524288], rel=0.03)
    assert found[2].get("bytes") is None
    assert [one["name"] for one in found] == ["level 1", "level 2", "memory"]
    assert not any("matches" in one for one in found)
    of_bandwidth = of_kind(records, "level", probe="bandwidth")
    assert [(one["name"], one["matches"]) for one in of_bandwidth] == [("level 1", 1), ("level 2", 2), ("memory", 3)]
    table = done.out[done.out.index("Simulated levels") :]
    assert "KiB" in table and re.search(r"memory +(39|40)\d ", table)
    again = sonde("levels", "run.jsonl", "--json")
    assert again.status == 0, again.err
    for one, same in zip(map(json.loads, again.out.splitlines()), of_kind(records, "level"), strict=True):
        # The clock is that of the curve's own samples there, and that of all samples here.
        for end, cycles in (one.pop("cycles", None) or {}).items():
            assert cycles == pytest.approx(same["cycles"][end], rel=0.01)
        same.pop("cycles", None)
        assert one == same
    # 64 KiB of constant memory end before any other is reached: the last level there is not memory.
    text = sonde("levels", "run.jsonl").out
    constant = text[text.index("by the path constant") :].splitlines()[1:4]
    assert [line.split()[0] for line in constant] == ["level", "1", "beyond"]


def test_levels_of_bandwidth_alone_match_none(sonde, valid, model_file):
    measured(sonde, model_file(noise=None), "--probe", "bandwidth")
    records = sonde.records()
    valid(records)
    found = of_kind(records, "level")
    assert found and all(one["matches"] is None for one in found)
    again = [json.loads(line) for line in sonde("levels", "run.jsonl", "--json").out.splitlines()]
    assert again == found
    # A word that is a default may be absent.
    for sample in of_kind(records, "sample"):
        if sample["series"].get("path") == "buffer":
            sample["series"] = {
                key: word for key, word in sample["series"].items() if word not in ("read", "shared", "device")
            }
    (sonde.folder / "short.jsonl").write_text("".join(json.dumps(line) + "\n" for line in records))
    again = [json.loads(line) for line in sonde("levels", "short.jsonl", "--json").out.splitlines()]
    assert again == found


def walked_by_the_cpu(records, pages):
    """The vector walks of a model's run, as the CPU itself would have made them on such pages.

    Those over pages are left out: the model has them at two strides, which a CPU's are not.
    """
    series = {"pages": pages, "state": "asleep"}
    return [
        {**sample, "device": "cpu", "api": "cpu", "probe": "cpu-latency",
         "series": {**series, **{key: word for key, word in sample["series"].items() if key == "order"}}}
        for sample in by_vector_path(of_kind(records, "sample"))
        if sample["series"].get("order") != "page"
    ]  # fmt: skip


def test_the_levels_command_takes_latencies_of_the_cpu_itself(sonde, valid, model_file):
    levels = [
        {"bytes": 16384, "line": 64, "ways": 16, "latency_ns": 20},
        {"bytes": 524288, "line": 64, "ways": 16, "latency_ns": 90},
        {"latency_ns": 400},
    ]
    words = ("--probe", "latency", "--sizes", "1K:4M", "--time", "10", "--seed", "7", "-o", "run.jsonl")
    assert sonde("run", "--device", model_file(levels=levels), *words).status == 0
    records = sonde.records()
    small = walked_by_the_cpu(records, "small")
    awake = {**small[-1], "series": {"pages": "small", "state": "awake"}, "values": [1000.0] * 7}
    (device,) = of_kind(records, "device")
    cpu = {**device, "device": "cpu", "name": "a CPU", "type": "cpu"}
    huge = walked_by_the_cpu(records, "huge")
    lines = [records[0], cpu, *small, *huge, awake]
    (sonde.folder / "cpu.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = sonde("levels", "cpu.jsonl", "--json")
    assert done.status == 0, done.err
    found = [json.loads(line) for line in done.out.splitlines()]
    valid([*lines, *found, records[-1]])
    assert [(one["api"], one["probe"]) for one in found] == [("cpu", "cpu-latency")] * 6
    assert [one["series"] for one in found[::3]] == [{"pages": pages, "state": "asleep"} for pages in ("small", "huge")]
    for curve in (found[:3], found[3:]):
        assert [one["name"] for one in curve] == ["level 1", "level 2", "memory"]
        assert [one["latency_ns"]["value"] for one in curve] == pytest.approx([20, 90, 400], rel=0.02)
        assert [one["bytes"]["value"] for one in curve[:2]] == pytest.approx([16384, 524288], rel=0.03)
    text = sonde("levels", "cpu.jsonl").out.splitlines()
    assert [line for line in text if not line.startswith(" ")] == ["a CPU, cpu, small pages", "a CPU, cpu, huge pages"]
    assert [line.split()[0] for line in text if line.startswith(" ")][:4] == ["level", "1", "2", "memory"]
    # What is not said is the first word of the schema.
    for sample in small:
        del sample["series"]["pages"], sample["series"]["state"]
    (sonde.folder / "short.jsonl").write_text("".join(json.dumps(line) + "\n" for line in [records[0], cpu, *small]))
    assert sonde("levels", "short.jsonl").out.splitlines()[0] == "a CPU, cpu, small pages"


def test_curves_measured_beside_neighbours_tell_no_levels_but_why(sonde, model_file):
    measured(sonde, model_file(), "--probe", "latency", seconds=5)
    records = sonde.records()
    for sample in of_kind(records, "sample"):
        if sample["series"]["path"] == "vector":
            sample["state"]["smt_interference"] = 0.8
    (sonde.folder / "shared.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    text = sonde("levels", "shared.jsonl")
    assert text.status == 0, text.err
    vector = next(block for block in text.out.split("little") if block.startswith(", model\n")).splitlines()
    assert vector[1].startswith("  no cache levels: at all sizes of this curve another thread")
    assert all(line.startswith("    ") for line in vector[2:])  # the rest of the sentence
    lines = sonde("levels", "shared.jsonl", "--json")
    paths = {json.loads(line)["series"]["path"] for line in lines.out.splitlines()}
    assert "scalar" in paths and "vector" not in paths
    assert "vector: no cache levels: at all sizes of this curve" in lines.err


def test_a_file_says_how_far_apart_its_pages_were_walked(sonde):
    table = sonde("levels", str(DATA / "translation-step.jsonl")).out
    rows = [line.split()[0] for line in table.splitlines()[1:5]]
    assert rows == ["level", "1", "2", "memory"] and "translation" in table
    records = [json.loads(line) for line in (DATA / "translation-step.jsonl").read_text().splitlines()]
    cycle = [one for one in records if (one.get("series") or {}).get("order") != "page"]
    (sonde.folder / "cycle.jsonl").write_text("".join(json.dumps(one) + "\n" for one in cycle))
    assert "beyond, or translation" in sonde("levels", "cycle.jsonl").out
    assert json.loads(sonde("levels", "cycle.jsonl", "--json").out.splitlines()[-1])["or_translation"] is True


def test_what_a_curve_that_still_rises_ends_in_is_not_called_memory(sonde):
    table = sonde("levels", str(DATA / "ends-in-transition.jsonl")).out.splitlines()
    assert [line.split()[0] for line in table[1:5]] == ["level", "1", "2", "beyond,"]
    assert " > 45.0 " in table[4]


def test_every_latency_is_there_in_cycles_too(sonde, valid, model_file):
    samples = measured(sonde, model_file(clock_mhz=2000), "--probe", "latency")
    records = sonde.records()
    valid(records)
    ns, cycles = ([sample for sample in samples if sample["unit"] == unit] for unit in ("ns", "cycles"))
    assert len(ns) + len(cycles) == len(samples) == records[-1]["samples"]
    for one, same in zip(ns, cycles, strict=True):
        assert (one["series"], one["x"], one["state"]) == (same["series"], same["x"], same["state"])
        assert one["state"]["clock_source"] == "shader-clock"
        ghz = one["state"]["clock_mhz"] / 1000
        assert ghz == pytest.approx(2, rel=0.1)
        assert same["values"] == pytest.approx([value * ghz for value in one["values"]], rel=1e-4)


def test_levels_are_told_in_cycles_too(sonde, model_file):
    levels = [{"bytes": 16384, "line": 64, "ways": 16, "latency_ns": 20}, {"latency_ns": 400}]
    device = model_file(levels=levels, noise=None, clock_mhz=2500)
    words = ("--probe", "latency", "--sizes", "1K:1M", "--time", "5", "-v", "-o", "run.jsonl")
    done = sonde("run", "--device", device, *words)
    assert done.status == 0, done.err
    found = main_levels(sonde.records())
    assert [one["cycles"]["value"] for one in found] == pytest.approx([50, 1000], rel=0.02)
    again = sonde("levels", "run.jsonl")
    for said in (done.out, again.out):
        assert "a clock of 2500 MHz" in said
        memory = next(line for line in said.splitlines() if line.strip().startswith("memory"))
        assert 990 <= float(memory.split()[-1]) <= 1010


def test_sizes_are_whole_lines_of_the_device(sonde, model_file):
    levels = [{"bytes": 16384, "line": 256, "latency_ns": 40}, {"latency_ns": 300}]
    samples = measured(sonde, model_file(levels=levels))
    assert of_kind(sonde.records(), "device")[0]["line_bytes"] == 256
    assert all(size % 256 == 0 for size in sizes(samples))


def test_the_same_seed_gives_the_same_values_however_busy_the_machine_is(sonde, model_file, busy_machine):
    device = model_file()
    first = measured(sonde, device, "--seed", "3", out="first.jsonl")
    with busy_machine():
        second = measured(sonde, device, "--seed", "3", out="second.jsonl")
    assert values(first) == values(second)


def test_another_seed_of_the_run_gives_other_values(sonde, model_file):
    device = model_file()
    assert values(measured(sonde, device, "--seed", "3", out="a.jsonl")) != values(
        measured(sonde, device, "--seed", "4", out="b.jsonl")
    )


def test_another_seed_of_the_model_gives_other_values(sonde, model_file):
    five, six = model_file("five.json", seed=5), model_file("six.json", seed=6)
    assert values(measured(sonde, five, out="a.jsonl")) != values(measured(sonde, six, out="b.jsonl"))


def test_other_programs_do_not_disturb_a_simulation(sonde, model_file, busy_machine):
    with busy_machine():
        samples = measured(sonde, model_file())
    assert not any(sample["state"]["disturbed"] for sample in samples)


@pytest.mark.parametrize(
    ("words", "seconds"), [(("--time", "3"), 3), (("--effort", "quick"), 60)], ids=["3 s", "quick"]
)
def test_the_budget_of_a_simulation_is_of_its_own_seconds(sonde, valid, model_file, words, seconds):
    asked = ("--probe", "latency", "--sizes", "4K:1M", "--counters", *words)
    done = sonde("run", "--device", model_file(), *asked, "-o", "run.jsonl", timeout=120)
    assert done.status == 0, done.err
    records = sonde.records()
    valid(records)
    assert records[0]["effort"] == "quick"
    counted = of_kind(records, "counter")
    taken = counted[-1]["t"] + counted[-1]["dt"] - counted[0]["t"]  # its clock runs while the device is opened too
    assert 0.25 * seconds < taken <= seconds


def test_a_model_needs_no_driver(sonde, model_file):
    missing = NO_OPENCL_DRIVER | NO_VULKAN_DRIVER
    done = sonde("run", "--device", model_file(), *ONE_POINT, "-o", "run.jsonl", env=missing)
    assert done.status == 0
    assert "install" not in done.err


def test_no_level_lies_where_nothing_was_measured(sonde, valid):
    """Of a real run whose last point was disturbed: a level behind it explained it as well as any, wherever that was."""
    record_file = Path(__file__).parent / "records/last-point-disturbed.jsonl"
    measured = [json.loads(line) for line in record_file.read_text().splitlines()]
    done = sonde("levels", str(record_file), "--json")
    assert done.status == 0, done.err
    found = [json.loads(line) for line in done.out.splitlines()]
    valid([*measured[:-1], *found, measured[-1]])
    samples = of_kind(measured, "sample")
    largest, slowest = max(one["x"]["bytes"] for one in samples), max(max(one["values"]) for one in samples)
    assert len(found) >= 4
    for level in found:
        assert level["latency_ns"]["high"] < 2 * slowest
        assert level["bytes"] is None or 0 < level["bytes"]["low"] <= level["bytes"]["high"] < 2 * largest
