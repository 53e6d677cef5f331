"""Streams of the CPU itself and lines from core to core: what stands in the record, never how long it took."""

import os

import pytest
from program_runs import Sonde, of_kind

CPUS = len(os.sched_getaffinity(0))
SMALL_ENOUGH = ("--sizes", "4K:4M", "--time", "3")


@pytest.fixture(scope="module")
def streams_run(program, tmp_path_factory):
    sonde = Sonde(program, tmp_path_factory.mktemp("streams"))
    words = ("--device", "cpu", "--probe", "cpu-bandwidth", "--sizes", "4K:64K", "-o", "run.jsonl")
    return sonde.with_time_enough(*words, seconds=10), sonde.records()


@pytest.fixture(scope="module")
def pairs_run(program, tmp_path_factory):
    sonde = Sonde(program, tmp_path_factory.mktemp("pairs"))
    done = sonde("run", "--device", "cpu", "--probe", "core-to-core", *SMALL_ENOUGH, "-o", "run.jsonl")
    return done, sonde.records()


def test_every_record_is_valid(streams_run, pairs_run, valid):
    valid(streams_run[1])
    valid(pairs_run[1])


def test_every_stream_is_measured_with_one_thread(streams_run):
    done, records = streams_run
    found = of_kind(records, "sample", probe="cpu-bandwidth")
    patterns = {one["series"]["pattern"] for one in found if one["x"]["cpu_threads"] == 1}
    told = of_kind(records, "skip", probe="cpu-bandwidth")
    # On a machine that runs too much else the record says so.
    assert told or patterns == {
        "read", "write", "copy", "scale", "add", "triad", "read-modify-write", "read-2-write-1", "read-3-write-1",
    }, done.err  # fmt: skip
    assert found or told
    assert all(one["x"]["bytes"] <= 64 << 10 and one["state"]["shape"]["vector_bytes"] >= 16 for one in found)
    assert all(one["state"]["shape"]["in_flight"] in (2, 4, 8, 16) for one in found)


@pytest.mark.skipif(CPUS < 2, reason="one CPU only")
def test_every_ordered_pair_exchanges_at_least_32_lines(pairs_run):
    done, records = pairs_run
    found = of_kind(records, "sample", probe="core-to-core", unit="ns")
    told = of_kind(records, "skip", probe="core-to-core") + of_kind(records, "error", probe="core-to-core")
    exchanged = [one for one in found if "exchange" in one["series"]]
    pairs = {(one["x"]["from"], one["x"]["to"]) for one in exchanged}
    # On a machine that runs too much else the record says so.
    assert told or {(end, start) for start, end in pairs} == pairs, done.err
    assert told or {one["series"]["exchange"] for one in exchanged} == {"compare-and-swap", "store"}
    assert all(len(one["values"]) >= 32 for one in exchanged)


def test_one_node_says_that_there_is_no_other(streams_run):
    _, records = streams_run
    told = [one for one in of_kind(records, "skip", probe="cpu-bandwidth") if "one node of memory" in one["reason"]]
    nodes = [one for one in of_kind(records, "sample", probe="cpu-bandwidth") if "placement" in one["series"]]
    assert len(told) == 1 or nodes


def test_nothing_locks_across_two_lines_unless_it_is_allowed(pairs_run):
    done, records = pairs_run
    assert not [one for one in of_kind(records, "sample") if "address" in one["x"]]
    assert "split" not in done.err


@pytest.mark.skipif(CPUS < 2, reason="one CPU only")
@pytest.mark.skipif(
    not os.environ.get("SONDE_TEST_SPLIT_LOCKS"), reason="slows the whole machine down: SONDE_TEST_SPLIT_LOCKS=1"
)
def test_split_locks_say_first_what_they_do(program, tmp_path, valid):
    sonde = Sonde(program, tmp_path)
    done = sonde(
        "run", "--device", "cpu", "--probe", "core-to-core", "--allow-split-locks", *SMALL_ENOUGH, "-o", "run.jsonl"
    )
    assert done.err.index("keeps every core of this machine from memory") < done.err.index("core-to-core on")
    valid(sonde.records())
    assert of_kind(sonde.records(), "skip") or [
        one for one in of_kind(sonde.records(), "sample") if "address" in one["x"]
    ]


@pytest.mark.skipif(CPUS < 2, reason="one CPU only")
def test_a_queue_beyond_the_sizes_is_left_out(program, tmp_path):
    sonde = Sonde(program, tmp_path)
    sonde("run", "--device", "cpu", "--probe", "core-to-core", "--sizes", "4K:1M", "--time", "1", "-o", "run.jsonl")
    assert of_kind(sonde.records(), "sample", unit="GB/s") == []


def test_sizes_around_memory_alone_are_measured(program, tmp_path, valid):
    sonde = Sonde(program, tmp_path)
    words = ("--device", "cpu", "--probe", "cpu-bandwidth", "--sizes", "192M:512M", "-o", "run.jsonl")
    done = sonde.with_time_enough(*words, seconds=2)
    assert done.status == 0, done.err
    valid(sonde.records())
    found = of_kind(sonde.records(), "sample", probe="cpu-bandwidth")
    assert found and all(192 << 20 <= one["x"]["bytes"] <= 512 << 20 for one in found)


@pytest.fixture(scope="module")
def loaded_run(program, tmp_path_factory):
    sonde = Sonde(program, tmp_path_factory.mktemp("loaded-latency"))
    done = sonde("run", "--device", "cpu", "--probe", "loaded-latency", *SMALL_ENOUGH, "-o", "run.jsonl", timeout=240)
    return done, sonde.records()


@pytest.mark.skipif(CPUS < 2, reason="one CPU only")
def test_latency_under_load_has_the_bandwidth_of_the_load_beside_it(loaded_run, valid):
    done, records = loaded_run
    valid(records)
    found = of_kind(records, "sample", probe="loaded-latency", api="cpu", unit="ns")
    told = of_kind(records, "skip", probe="loaded-latency", api="cpu")
    moved = [
        (one["series"], one["x"]) for one in of_kind(records, "sample", probe="loaded-latency", api="cpu", unit="GB/s")
    ]
    beside = [one for one in found if one["x"]["cpu_threads"] > 0]
    assert told or beside, done.err
    assert all((one["series"], one["x"]) in moved for one in beside)
    assert all("delay" not in one["x"] for one in found if one["x"]["cpu_threads"] == 0)
    assert all(one["x"]["bytes"] <= 4 << 20 and one["state"]["shape"]["thread_bytes"] > 0 for one in beside)


@pytest.mark.skipif(CPUS < 2, reason="one CPU only")
def test_a_placement_that_the_machine_does_not_have_is_a_skip(loaded_run):
    records = [one for one in loaded_run[1] if one.get("api") == "cpu"]
    measured = {one["series"]["placement"] for one in of_kind(records, "sample")}
    told = of_kind(records, "skip", probe="loaded-latency")
    skipped = {one["series"]["placement"] for one in told if list(one.get("series") or {}) == ["placement"]}
    assert not measured & skipped
