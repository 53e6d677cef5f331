"""Each fault of a driver in each probe through each API, as docs/reliability.md has it."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import reliability
from fault_layers import silence_limit_for
from program_runs import Sonde, of_kind

# A driver that hangs takes no processor: all runs that wait for one may go on beside another.
RUNS_AT_ONCE = 5
# What a process is waited for where all of them hang.
SHORT_SILENCE_LIMIT = "3"
ADVICE = ("run again", "another driver", "report the driver", "--sizes", "--silence-limit")
# Processes lost in a row, or errors in a row of one process, after which a probe is given up.
MOST_ERRORS = 3
CASES = reliability.cases()
OF_ONE_CALL = [(api, fault) for api, fault in CASES if fault.of_one_call(api)]
# Allocations of a process's first visits, some of which others may disturb.
OF_FIRST_VISITS = 12
OF_TWO_VISITS = 6


def named(cases):
    return {"argnames": ("api", "fault"), "argvalues": cases, "ids": [f"{api}-{fault.name}" for api, fault in cases]}


@pytest.fixture(scope="session")
def first_allocations(program, layers, tmp_path_factory):
    """By API the first allocation of a process's first visit, by number."""
    found = {}
    for api, call in reliability.ALLOCATES.items():
        sonde = Sonde(program, tmp_path_factory.mktemp("allocations"))
        log = sonde.folder / "log"
        # None of its sizes, so that nothing is allocated but what comes before a visit.
        words = ("--device", "cpu", "--api", api, "--probe", "zero-copy", "--sizes", "1K:1K", "-o", "run.jsonl")
        sonde("run", *words, env=layers(f"{call}@1+=log", SONDE_FAULTS_LOG=str(log)))
        found[api] = len(log.read_text().splitlines()) + 1
    return found


@pytest.fixture(scope="session")
def listing_processes(program, layers, tmp_path_factory):
    """How many processes list the devices of an API, before any measures."""
    sonde = Sonde(program, tmp_path_factory.mktemp("turns"))
    sonde("list", env=layers(SONDE_FAULTS_TURNS=str(sonde.folder / "turn")))
    return {api: len(list(sonde.folder.glob(f"turn.{api}.*"))) for api in reliability.APIS}


@pytest.fixture(scope="session")
def runs(request, program, layers, first_allocations, tmp_path_factory):
    """How each run ended whose processes all have the fault, and its records."""

    def run(api, fault):
        sonde = Sonde(program, tmp_path_factory.mktemp("run"), timeout_seconds=300)
        words = ["--device", "cpu", "--api", api, *reliability.asking(fault.probes), "--seed", "3"]
        if fault.is_silent(api):
            words += ["--silence-limit", SHORT_SILENCE_LIMIT]
        calls = reliability.counted_from(api, first_allocations[api], fault.of(api))
        return sonde("run", *words, "-o", "run.jsonl", env=layers(calls)), sonde.records()

    asking = [item.callspec.params for item in request.session.items if "runs" in getattr(item, "fixturenames", ())]
    wanted = [(one["api"], one["fault"]) for one in asking if {"api", "fault"} <= one.keys()]
    # The longest first.
    wanted.sort(key=lambda case: not case[1].is_silent(case[0]))
    with ThreadPoolExecutor(RUNS_AT_ONCE) as pool:
        yield {(api, fault.name): pool.submit(run, api, fault) for api, fault in wanted}


@pytest.fixture
def run_with(sonde, layers, first_allocations, listing_processes, valid):
    """A run with a script from some allocation on, in all processes or in the first that measures alone."""

    def run(api, calls, probes, allocations=0, *, first_process_alone=False):
        script = reliability.counted_from(api, first_allocations[api] + allocations, calls)
        turns = {}
        if first_process_alone:
            script = ";" * listing_processes[api] + script
            turns = {"SONDE_FAULTS_TURNS": str(sonde.folder / "turn")}
        words = ("--device", "cpu", "--api", api, *reliability.asking(probes), *silence_limit_for(calls))
        done = sonde("run", *words, "--seed", "3", "-o", "run.jsonl", env=layers(script, **turns), timeout=300)
        records = sonde.records()
        valid(records)
        return done, records

    return run


def curves_of(records):
    return [record["series"] for record in records if "series" in record]


def assert_told(records, fault, api, probe):
    """Errors with all that a user has to know, no more than it takes, and no value of what the fault concerns."""
    errors = of_kind(records, "error", probe=probe)
    samples = of_kind(records, "sample", probe=probe)
    assert errors, probe
    for error in errors:
        assert (error["device"], error["api"]) == ("cpu", api)
        assert "series" in error and "x" in error, error
        assert fault.word(api) in error["reason"], error
        assert any(word in error["reason"] for word in ADVICE), error
    places = [(error["series"], error["x"]) for error in errors]
    assert all(places.count(place) == 1 for place in places), places
    if fault.spoils_all(probe, api):
        assert not samples, probe
        # A driver that fails in several ways may have failed less than three times in a row in each.
        assert len(errors) <= MOST_ERRORS or not fault.word(api), errors
    assert not any(series in curves_of(samples) for series in curves_of(errors)), (errors, samples)
    # What was not tried any more is one line.
    given_up = [skip for skip in of_kind(records, "skip", probe=probe) if "series" not in skip]
    assert len(given_up) <= 1, given_up


@pytest.mark.parametrize(**named(CASES))
def test_each_fault_is_told_in_each_probe_and_gives_no_value(valid, runs, api, fault):
    done, records = runs[api, fault.name].result()
    valid(records)
    for probe in fault.probes:
        assert_told(records, fault, api, probe)
    assert done.status == 1
    assert (records[-1]["status"], records[-1]["errors"]) == ("failed", len(of_kind(records, "error")))


@pytest.mark.parametrize(**named(OF_ONE_CALL))
def test_a_lost_process_costs_the_visit_that_it_was_at_alone(run_with, api, fault):
    done, records = run_with(api, fault.of(api), ("latency", "copy"), OF_FIRST_VISITS, first_process_alone=True)
    assert done.status == 1
    (error,) = of_kind(records, "error")
    assert error["probe"] == "latency" and fault.word(api) in error["reason"]
    samples = of_kind(records, "sample", probe="latency")
    # What was measured before is kept, and a new process goes on, but not at that point.
    assert {0, 1} <= {process for sample in samples for process in sample["process"]}
    assert not [sample for sample in samples if (sample["series"], sample["x"]) == (error["series"], error["x"])]
    assert of_kind(records, "sample", probe="copy")
    assert not [skip for skip in of_kind(records, "skip") if "lost" in skip["reason"] or "given up" in skip["reason"]]


@pytest.mark.parametrize("api", reliability.APIS)
def test_failures_in_a_row_cost_the_probe_and_the_process_alone(run_with, api):
    calls = {"opencl": "clEnqueueNDRangeKernel@1+=-5", "vulkan": "vkQueueSubmit@1+=-2"}[api]
    _, records = run_with(api, calls, ("latency", "copy"), OF_FIRST_VISITS, first_process_alone=True)
    (error,) = of_kind(records, "error")
    (skip,) = [skip for skip in of_kind(records, "skip") if "given up after 3 failures in a row" in skip["reason"]]
    assert error["probe"] == skip["probe"] == "latency"
    assert {sample["probe"] for sample in of_kind(records, "sample")} == {"latency", "copy"}
    assert all(0 not in sample["process"] for sample in of_kind(records, "sample", probe="copy"))


def test_a_curve_that_loses_processes_again_and_again_ends(run_with):
    _, records = run_with("opencl", "clEnqueueNDRangeKernel@1=crash", ("latency",), OF_TWO_VISITS)
    (skip,) = [skip for skip in of_kind(records, "skip") if "lost again and again" in skip["reason"]]
    errors = of_kind(records, "error")
    assert MOST_ERRORS < len(errors) <= 2 * MOST_ERRORS
    assert all(error["series"] == skip["series"] for error in errors)
    assert of_kind(records, "sample")


@pytest.mark.parametrize("api", reliability.APIS)
def test_a_process_that_dies_before_its_first_visit_is_tried_once_more(sonde, layers, listing_processes, api):
    words = ("run", "--device", "cpu", "--api", api, *reliability.asking(("latency", "copy")), "-o")
    script = f"{reliability.ALLOCATES[api]}@1=crash"
    first_alone = ";" * listing_processes[api] + script
    once = sonde(*words, "once.jsonl", env=layers(first_alone, SONDE_FAULTS_TURNS=str(sonde.folder / "turn")))
    assert once.status == 0
    assert {sample["probe"] for sample in of_kind(sonde.records("once.jsonl"), "sample")} == {"latency", "copy"}
    assert sonde(*words, "always.jsonl", env=layers(script)).status == 1
    errors = of_kind(sonde.records("always.jsonl"), "error")
    assert sorted(error["probe"] for error in errors) == ["copy", "latency"]
    assert all("signal 6" in error["reason"] and "x" not in error for error in errors)


def test_the_table_is_what_the_tests_say():
    assert reliability.TABLE.read_text(encoding="utf-8").count(reliability.table()) == 1


def test_a_copy_that_arrives_wrong_is_an_error_beside_what_is_right(run_with):
    done, records = run_with("opencl", reliability.COPIED_WRONGLY.opencl, reliability.COPIED_WRONGLY.probes)
    assert done.status == 1
    errors = of_kind(records, "error")
    assert errors
    for error in errors:
        assert "does not hold what was copied" in error["reason"] and "report the driver" in error["reason"]
    wrong = {error["series"]["memory"] for error in errors}
    samples = of_kind(records, "sample")
    assert samples and wrong.isdisjoint(sample["series"]["memory"] for sample in samples)


@pytest.mark.parametrize("api", reliability.APIS)
def test_a_refused_allocation_is_a_reason_and_no_value(run_with, api):
    fault = reliability.REFUSED
    done, records = run_with(api, fault.of(api), fault.probes)
    assert done.status == 1
    assert not of_kind(records, "sample") and not of_kind(records, "error")
    for probe in fault.probes:
        skips = of_kind(records, "skip", api=api, probe=probe)
        assert any(fault.word(api) in skip["reason"] and "--sizes" in skip["reason"] for skip in skips), (probe, skips)


@pytest.mark.parametrize("api", reliability.APIS)
def test_a_clock_that_wraps_gives_no_wrong_value(sonde, valid, layers, api):
    fault = reliability.WRAPPED
    words = ("--device", "cpu", "--api", api, *reliability.asking(fault.probes))
    sonde("run", *words, "-o", "run.jsonl", env=layers(fault.of(api)))
    records = sonde.records()
    valid(records)
    told = of_kind(records, "error")
    assert all(fault.word(api) in error["reason"] for error in told), told
    for probe in fault.probes:
        assert of_kind(records, "sample", probe=probe) or of_kind(records, "error", probe=probe), probe
    # What a wrap adds or takes off is four seconds, over all steps of a dispatch; others may take milliseconds.
    for sample in of_kind(records, "sample", unit="ns"):
        whole = [value * max(1, sample["state"]["steps"]) for value in sample["values"]]
        assert all(0 < nanoseconds < 2**31 for nanoseconds in whole), (sample["probe"], sample["x"], sample["values"])
