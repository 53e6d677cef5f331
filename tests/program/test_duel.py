"""`sonde duel`: two sides measured in turn, as pairs, and compared; with simulated devices, and with drivers below layers."""

import json
import signal
from collections import Counter

import pytest
from fault_layers import silence_limit_for
from program_runs import of_kind, wait_for_samples

LEVELS = [
    {"name": "L1", "bytes": 16384, "ways": 8, "latency_ns": 40},
    {"name": "L2", "bytes": 65536, "latency_ns": 110},
    {"name": "DRAM", "latency_ns": 290},
]
NOISE = {"relative": 0.01, "outlier_share": 0.01, "outlier_factor": 3}
SIDES = ("base", "new")


@pytest.fixture
def duel(sonde, drawn_by_python):
    """`sonde duel` with words, into duel-base.jsonl and duel-new.jsonl: how it ended, and what it says as JSON."""
    environment = drawn_by_python("compare", "jinja2", "msgspec", "polars", "scipy", "vl_convert")

    def run(*words, env=None):
        done = sonde("duel", *words, "-o", "duel", "--format", "json", env=environment | (env or {}), timeout=120)
        return done, json.loads(done.out) if done.out else None

    return run


@pytest.fixture
def two_models(model_file):
    """Words for a duel of a model with one that is changed."""

    def words(**changed):
        # A folder each, as the file's name is the device's.
        base = model_file("base.json", levels=LEVELS, noise=NOISE)
        new = model_file("new.json", **({"levels": LEVELS, "noise": NOISE} | changed))
        return ("--base-device", base, "--new-device", new, "--probe", "latency", "--sizes", "2K:512K", "--time", "20")

    return words


def of_pairs(records):
    """A side's samples of latencies by the pair that they are of."""
    return {sample["pair"]: sample for sample in of_kind(records, "sample") if sample["unit"] == "ns"}


def test_both_sides_are_visited_in_pairs_in_either_order(sonde, duel, two_models, valid):
    done, _ = duel(*two_models())
    assert done.status in (0, 1), done.err
    records = [sonde.records(f"duel-{side}.jsonl") for side in SIDES]
    for side, lines in zip(SIDES, records, strict=True):
        valid(lines)
        (run,) = of_kind(lines, "run")
        assert run["duel"]["side"] == side
        assert run["duel"]["settings"] == [f"--{side}-device {sonde_model(lines)}"]
    assert records[0][0]["duel"]["id"] == records[1][0]["duel"]["id"]
    base, new = map(of_pairs, records)
    assert base.keys() == new.keys() and len(base) > 50
    assert all((base[pair]["series"], base[pair]["x"]) == (new[pair]["series"], new[pair]["x"]) for pair in base)
    orders = {}
    for pair in sorted(base):
        key = json.dumps([base[pair]["series"], base[pair]["x"]])
        orders.setdefault(key, []).append(base[pair]["t"] < new[pair]["t"])
    for order in orders.values():
        assert all(first != second for first, second in zip(order[::2], order[1::2], strict=False))
    counted = Counter(order[0] for order in orders.values())
    assert min(counted.values()) > len(orders) / 5


def sonde_model(records):
    """The selector of a record's simulated device."""
    (command,) = (one["command"] for one in of_kind(records, "run"))
    side = records[0]["duel"]["side"]
    return command[command.index(f"--{side}-device") + 1]


def test_sides_alike_have_noise_of_their_own(sonde, duel):
    done, _ = duel("--device", "model:strix-halo", "--probe", "latency", "--sizes", "4K:64K", "--time", "2")
    assert "Both sides are the same" in " ".join(done.err.split())
    base, new = (of_pairs(sonde.records(f"duel-{side}.jsonl")) for side in SIDES)
    assert base.keys() == new.keys()
    assert all(base[pair]["values"] != new[pair]["values"] for pair in base)


def test_a_level_that_is_slower_on_one_side_is_the_exit_status(duel, two_models):
    slower = [LEVELS[0], {**LEVELS[1], "latency_ns": 114}, LEVELS[2]]
    done, said = duel(*two_models(levels=slower))
    assert done.status == 1, done.err
    found = {one["feature"]: one for one in said["features"]}
    assert [name for name, one in found.items() if one["verdict"] == "slower"] == ["level 2 latency"]
    assert found["level 2 latency"]["change_percent"]["value"] == pytest.approx(3.6, abs=0.6)


def test_a_level_that_is_smaller_on_one_side_is_told_by_its_size(duel, two_models):
    done, said = duel(*two_models(levels=[LEVELS[0], {**LEVELS[1], "bytes": 57344}, LEVELS[2]]))
    assert done.status == 1, done.err
    found = {one["feature"]: one for one in said["features"]}
    assert [name for name, one in found.items() if one["verdict"] == "slower"] == ["level 2 size"]
    assert found["level 2 size"]["change_percent"]["value"] == pytest.approx(-12.5, abs=4)


def test_what_is_the_same_ends_before_its_time(duel, two_models):
    words = [word if word != "20" else "3000" for word in two_models()]
    done, said = duel(*words)
    assert done.status == 0, done.err
    assert "after which every verdict was known" in " ".join(done.err.split())
    assert {one["verdict"] for one in said["features"] if one["feature"].endswith(" latency")} == {"same"}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--new", "novalue"), "'novalue' is no NAME=VALUE"),
        (("--new", "2ND=1"), "'2ND=1' is no NAME=VALUE"),
        (("--new-api", "vulkan"), "--base-api and --new-api go together"),
        (("--base-device", "cpu"), "--base-device and --new-device go together"),
        (("--base-api", "opencl", "--new-api", "vulkan", "--api", "opencl"), "excludes"),
    ],
)
def test_a_wrong_request_measures_nothing(sonde, words, says):
    done = sonde("duel", *words)
    assert done.status == 2
    assert says in " ".join(done.err.split())
    assert not list(sonde.folder.iterdir())


def test_a_side_without_a_device_is_named(sonde):
    done = sonde("duel", "--device", "cpu", "--api", "vulkan", "--new", "VK_DRIVER_FILES=/nonexistent", "-o", "duel")
    assert done.status == 2 and "of new: " in done.err
    assert not list(sonde.folder.iterdir())


def test_files_that_are_there_stay(sonde):
    (sonde.folder / "duel-new.jsonl").write_text("mine")
    done = sonde("duel", "--device", "model:h200", "-o", "duel")
    assert done.status == 2 and "duel-new.jsonl" in done.err
    assert [path.name for path in sonde.folder.iterdir()] == ["duel-new.jsonl"]


def test_an_interrupted_duel_keeps_both_sides(sonde):
    duel = sonde.start("duel", "--device", "model:strix-halo", "--time", "1000", "-o", "duel")
    wait_for_samples(sonde.folder / "duel-new.jsonl", 3)
    duel.send_signal(signal.SIGINT)
    duel.communicate(timeout=30)
    assert duel.returncode == 130
    for side in SIDES:
        assert of_kind(sonde.records(f"duel-{side}.jsonl"), "end")[0]["status"] == "interrupted"


def test_a_setting_reaches_the_drivers_of_its_side_alone(sonde, duel, layers):
    words = ("--api", "opencl", "--probe", "latency", "--sizes", "16K:32K", "--time", "2", "--device", "cpu")
    faults = "SONDE_FAULTS=clCreateKernel@1+=-5"
    done, said = duel(*words, "--new", faults, env=layers())
    base, new = (sonde.records(f"duel-{side}.jsonl") for side in SIDES)
    assert of_kind(base, "sample") and not of_kind(base, "error")
    assert of_kind(new, "error") and not of_kind(new, "sample")
    assert {one["verdict"] for one in said["features"]} == {"only-in-base"}, done.err


@pytest.mark.parametrize(
    "fault",
    [
        "clEnqueueNDRangeKernel@40+=crash",
        "clEnqueueNDRangeKernel@40=hang",
        "clCreateBuffer@9+=-61",
        "clEnqueueReadBuffer@30+=garble",
        "clGetEventProfilingInfo@60+=backwards",
    ],
)
def test_a_fault_on_one_side_leaves_the_other_its_points(sonde, duel, layers, fault):
    words = ("--device", "cpu", "--api", "opencl", "--probe", "latency", "--sizes", "16K:64K", "--time", "1")
    points = {}
    for name, setting in (("whole", ()), ("beside a fault", ("--new", f"SONDE_FAULTS={fault}"))):
        done, _ = duel(*words, *setting, *silence_limit_for(fault), env=layers())
        assert done.status in (0, 1), done.err
        base, new = (sonde.records(f"duel-{side}.jsonl") for side in SIDES)
        assert not of_kind(base, "error")
        points[name] = {json.dumps([one["series"], one["x"]]) for one in of_pairs(base).values()}
        for side in SIDES:
            (sonde.folder / f"duel-{side}.jsonl").unlink()
    assert of_kind(new, "error") + of_kind(new, "skip")
    assert points["beside a fault"] >= points["whole"]
