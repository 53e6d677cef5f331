"""Two files of a duel: compared by their pairs, whatever the sides are called and whatever one of them lacks."""

import random
import re
import statistics
import time
from pathlib import Path

import hostile_files
import pytest
import synthetic
import synthetic_duels
import synthetic_runs
from sonde_tools import records as record_files
from sonde_tools.compare import command, runs
from sonde_tools.compare.comparison import compared

WORDS_OF_A_CHANGE = ("slower", "faster", "changed")


@pytest.fixture
def duelled(compare, tmp_path):
    """Compares a duel's records: each feature's JSON object by name, the whole object, and the exit status."""

    def run(sides, *words):
        names = []
        for name, records in zip(synthetic_duels.SIDES, sides, strict=True):
            names.append(str(tmp_path / f"duel-{name}.jsonl"))
            synthetic.write(tmp_path / f"duel-{name}.jsonl", records)
        status, found, _ = compare(*names, *words)
        return {one["feature"]: one for one in found["features"]}, found, status

    return run


@pytest.fixture
def sonde_compare(tmp_path, capsys):
    """What the command line prints of a duel's records."""

    def run(sides, *words):
        files = [tmp_path / f"said-{name}.jsonl" for name in synthetic_duels.SIDES]
        for file, records in zip(files, sides, strict=True):
            synthetic.write(file, records)
        command.main([*map(str, files), *words])
        return capsys.readouterr().out

    return run


def recorded(lines):
    """The Recording of a duel's records."""
    kinds = {kind: [line for line in lines if line["record"] == kind] for kind in ("device", "sample", "level")}
    return record_files.Recording(Path("run.jsonl"), lines[0], kinds["device"], kinds["sample"], kinds["level"])


def accused(found):
    return {name: one["verdict"] for name, one in found.items() if one["verdict"] in WORDS_OF_A_CHANGE}


def renamed(records, **names):
    """Records with other words in the fields that are named, where they have any."""
    return [{**one, **{field: word for field, word in names.items() if field in one}} for one in records]


def test_a_level_that_is_two_percent_slower_is_found_and_nothing_else(duelled):
    found, _, status = duelled(synthetic_duels.duel(1, level_2_latency=1.02))
    assert accused(found) == {"level 2 latency": "slower"} and status == 1
    one = found["level 2 latency"]
    assert one["change_percent"]["low"] < 2 < one["change_percent"]["high"]
    assert one["new"]["value"] / one["base"]["value"] == pytest.approx(1 + one["change_percent"]["value"] / 100)
    assert "pairs in 4 processes a side" in one["why"]


def test_a_side_that_concludes_no_levels_is_compared_by_what_it_read(duelled):
    base, new = synthetic_duels.duel(1, level_2_latency=1.02)
    found, _, status = duelled((base, [one for one in new if one["record"] != "level"]))
    assert accused(found) == {"level 2 latency": "slower"} and status == 1
    assert {name: one["verdict"] for name, one in found.items() if name.endswith(" size")} == {
        "level 1 size": "cannot-tell",
        "level 2 size": "cannot-tell",
    }


def test_the_sides_may_stand_the_other_way_round(duelled):
    found, _, status = duelled(synthetic_duels.duel(1, level_2_latency=1.05)[::-1])
    assert accused(found) == {"level 2 latency": "faster"} and status == 0


def test_what_the_machine_does_meanwhile_is_no_change(duelled):
    def machine(t, rng):
        return 0.3 * (t // 50 % 2) + 0.0002 * t

    found, _, status = duelled(synthetic_duels.duel(2, machine=machine))
    assert not accused(found) and status == 0
    told = [one for name, one in found.items() if not name.endswith("size")]
    assert all(one["would_see_percent"] < 1.5 for one in told)


def test_devices_and_apis_that_are_one_a_side_are_compared(duelled, sonde_compare):
    base, new = synthetic_duels.duel(3, level_2_latency=1.05)
    other = renamed(new, device="gpu-2", api="vulkan")
    found, whole, _ = duelled((base, other))
    assert accused(found) == {"level 2 latency": "slower"}
    assert {"what": "API", "base": "OpenCL", "new": "Vulkan"} in whole["differs"]
    assert {"what": "device", "base": synthetic_runs.DEVICE, "new": "gpu-2"} in whole["differs"]
    assert "Latency, OpenCL against Vulkan" in sonde_compare((base, other), "--format", "html")


def test_points_at_which_one_side_fails_are_a_verdict_with_the_reason(duelled):
    why = "The worker ended by signal 11."
    found, _, status = duelled(synthetic_duels.duel(4, lacks=[("new", "bandwidth", 1 << 20, why)]))
    one = found["bandwidth at 1 MiB to 1.41 MiB"]
    assert (one["verdict"], one["why"], one["base"], one["new"]) == ("only-in-base", f"NEW: {why}", "2 points", None)
    assert not accused(found) and found["memory bandwidth"]["verdict"] in ("same", "cannot-tell") and status == 0


def test_a_side_that_fails_altogether_is_compared_too(duelled):
    why = "The driver ended by signal 6 while it was opened."
    base, new = synthetic_duels.duel(5)
    error = {"record": "error", "device": synthetic_runs.DEVICE, "api": "opencl", "reason": why}
    found, _, status = duelled((base, [new[0], error, {**new[-1], "status": "failed"}]))
    assert {one["verdict"] for one in found.values()} == {"only-in-base"} and status == 0
    assert {one["why"] for one in found.values()} == {f"NEW: {why}"}
    assert {"latency", "bandwidth", "level 1 latency"} <= found.keys()


def test_failures_at_some_visits_of_a_point_are_a_note(duelled):
    why = "The worker ended by signal 11."
    base, new = synthetic_duels.duel(4)
    error = {"record": "error", "device": synthetic_runs.DEVICE, "api": "opencl", "probe": "latency", "series": {},
             "x": {"bytes": synthetic_duels.SIZES[3]}, "reason": why}  # fmt: skip
    found, whole, _ = duelled((base, [*new, error]))
    assert whole["notes"] == [f"NEW failed at times at 1 point that it read at others: {why}"]
    assert not [one for one in found.values() if one["verdict"].startswith("only")]
    assert not duelled(([*base, error], [*new, error]))[1]["notes"]


def test_three_thousand_pairs_take_less_than_two_seconds():
    sides = [
        [runs.of_recording(recording, keep=False)] for recording in map(recorded, synthetic_duels.duel(13, rounds=38))
    ]
    begin = time.process_time()
    found = compared(*sides)
    assert found.ratio_curves and time.process_time() - begin < 2
    assert sum(paired.count for paired in found.paired.values()) > 3000


def test_a_walk_beside_a_stream_and_one_alone_tell_caches_together(duelled):
    sides = synthetic_duels.duel(14, level_2_latency=1.02)
    for records in sides:
        levels = [one for one in records if one["record"] == "level" and one["probe"] == "latency"]
        walk = [one for one in records if one["record"] == "sample" and one["probe"] == "latency"]
        beside = [{**one, "series": {"fabric": "loaded"}, "pair": one["pair"] + 10_000}
                  for one in walk if one["x"]["bytes"] in synthetic_duels.SIZES[::4]]  # fmt: skip
        records[-1:-1] = beside
        for one in levels:
            one["series"] = {"fabric": "loaded"}
    found, _, _ = duelled(sides)
    counts = {
        name: int(re.search(r"(\d+) pairs", one["why"])[1]) for name, one in found.items() if "pairs" in one["why"]
    }
    assert counts["level 2 latency"] == 6 * 8 + 2 * 8 and found["memory latency"]["verdict"] in ("same", "cannot-tell")


def test_points_without_a_partner_had_no_time(duelled):
    base, new = synthetic_duels.duel(6)
    found, _, _ = duelled((base, [one for one in new if one.get("x", {}).get("bytes", 0) < 1 << 20]))
    assert not accused(found) and not [one for one in found.values() if one["verdict"].startswith("only")]


def test_one_side_of_each_of_two_duels_is_two_runs(duelled):
    found, whole, _ = duelled((synthetic_duels.duel(7)[0], synthetic_duels.duel(8)[1]))
    assert whole["threshold_percent"] == 2
    assert not any("pairs" in one["why"] for one in found.values())


def test_the_heading_and_the_stretch_are_said(sonde_compare):
    def factor(probe, size):
        return 1.06 if probe == "latency" and size < 20000 else 1.0

    out = sonde_compare(synthetic_duels.duel(9, any=factor))
    heading = next(line for line in out.splitlines() if line.startswith("Duel"))
    assert heading.startswith(
        "Duel  no setting against ACO_DEBUG=noopt: 320 pairs of visits in 4 processes a side; changes"
    )
    line = out.splitlines()[out.splitlines().index("Over the working set") + 1]
    assert line.strip().startswith("latency ") and " % longer (" in line and line.endswith("from 2 KiB to 16 KiB")
    assert "- latency " in sonde_compare(synthetic_duels.duel(9, any=factor), "--format", "markdown")


def test_a_reason_is_said_in_the_text(sonde_compare):
    out = sonde_compare(
        synthetic_duels.duel(4, lacks=[("new", "bandwidth", 1 << 20, "The worker ended by signal 11.")])
    )
    assert "NEW: The worker ended by signal 11." in out


def test_the_object_has_the_ratio_at_each_size(duelled):
    _, whole, _ = duelled(synthetic_duels.duel(10, memory_bandwidth=0.9))
    told = whole["duel"]
    assert (
        told["settings"] == {"base": [], "new": ["ACO_DEBUG=noopt"]} and told["pairs"] == 320 and told["processes"] == 4
    )
    (bandwidth,) = [one for one in told["ratios"] if one["unit"] == "GB/s"]
    assert [point["bytes"] for point in bandwidth["points"]] == synthetic_duels.SIZES
    assert all(point["low"] < point["value"] < point["high"] for point in bandwidth["points"])
    (stretch,) = bandwidth["differs"]
    assert (
        stretch["change_percent"]["value"] == pytest.approx(-10, abs=1)
        and stretch["last_bytes"] == synthetic_duels.SIZES[-1]
    )


def test_the_page_draws_the_ratio_of_each_quantity(sonde_compare, charts_of):
    text = sonde_compare(synthetic_duels.duel(11, level_1_latency=1.05), "--format", "html")
    charts = charts_of(text)
    assert {"ratio-0", "ratio-1"} <= charts.keys() and "<li>latency " in text
    rows = charts["ratio-0"]["data"]["values"]
    assert {row["series"] for row in rows} == {"latency"} and len(rows) == len(synthetic_duels.SIZES)
    assert rows[0]["low"] < rows[0]["value"] < rows[0]["high"] and rows[0]["value"] == pytest.approx(5, abs=1.5)


def test_a_finding_that_is_the_median_of_a_point_is_told_by_its_pairs(duelled):
    sides = synthetic_duels.duel(12, noise=0.03)
    for records, value in zip(sides, (100.0, 102.0), strict=True):
        rng, at = random.Random(value), {"engine": "driver", "host": "pinned", "direction": "to-host"}
        noise = [rng.gauss(0, 0.002) for _ in range(24)]
        gbps = [value * (1 + each - statistics.median(noise)) for each in noise]
        records[-1:-1] = [
            {"record": "sample", "device": synthetic_runs.DEVICE, "api": "opencl", "probe": "copy", "series": at,
             "x": {"bytes": size}, "unit": "GB/s", "values": [each * share], "state": {}, "t": 9000.0 + number,
             "process": [number // 6], "pair": 9000 + number}
            for share, size in ((0.5, 1 << 16), (1, 1 << 26)) for number, each in enumerate(gbps)
        ]  # fmt: skip
        records[-1:-1] = [synthetic.finding_record(
            "bandwidth", device=synthetic_runs.DEVICE, api="opencl", probe="copy", series=at, value=value, unit="GB/s",
            evidence="A test.", low=value * 0.9, high=value * 1.1)]  # fmt: skip
    found, _, _ = duelled(sides)
    one = found["copy bandwidth driver pinned to-host"]
    assert one["verdict"] == "faster" and "24 pairs in 4 processes" in one["why"]
    assert one["change_percent"]["low"] > 1.5 and one["change_percent"]["high"] < 2.5


def test_hostile_sides_end_in_0_1_or_2_with_a_sentence(tmp_path, capsys):
    base, good = synthetic_duels.duel(15, rounds=2, sizes=synthetic_duels.SIZES[::3])
    files = [tmp_path / f"hostile-{side}.jsonl" for side in synthetic_duels.SIDES]
    synthetic.write(files[0], base)
    statuses = set()
    for seed in range(40):
        files[1].write_bytes(hostile_files.mutated_lines(good, seed))
        statuses.add(command.main([*map(str, files), "--format", ("json", "text")[seed % 2]]))
        said = capsys.readouterr()
        assert "Traceback" not in said.err and len(said.err.splitlines()) <= 3, seed
    assert {0, 2} <= statuses <= {0, 1, 2}
