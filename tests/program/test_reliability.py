"""Each fault of a driver in each probe through each API, as docs/reliability.md has it."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest
import reliability
from fault_layers import OTHERS_DISTURB
from program_runs import Sonde, of_kind

# A hanging driver takes no processor.
RUNS_AT_ONCE = 3
# On a machine that is busy for good even what does not hang is silent for longer.
SILENCE_LIMIT = os.environ.get("SONDE_TEST_SILENCE_LIMIT", "5")
PLANS = [plan for api in reliability.APIS for plan in reliability.plans(api)]
ADVICE = ("run again", "another driver", "report the driver", "--sizes", "--silence-limit")


@pytest.fixture(scope="session")
def marks(program, layers, tmp_path_factory):
    """By API the first allocation of a process's first probe, with which it begins."""
    allocates = {"opencl": "clCreateBuffer", "vulkan": "vkAllocateMemory"}
    found = {}
    for api, call in allocates.items():
        sonde = Sonde(program, tmp_path_factory.mktemp("mark"))
        log = sonde.folder / "log"
        # None of its sizes, so that nothing is allocated but what comes before a probe.
        words = ("--device", "cpu", "--api", api, "--probe", "zero-copy", "--sizes", "1K:1K", "-o", "run.jsonl")
        sonde("run", *words, env=layers(f"{call}@1+=log", SONDE_FAULTS_LOG=str(log)))
        found[api] = f"{call}@{len(log.read_text().splitlines()) + 1}"
    return found


@pytest.fixture(scope="session")
def runs(request, program, layers, marks, tmp_path_factory):
    """How each plan's run ended, and its records."""
    wanted = [
        item.callspec.params["plan"] for item in request.session.items if "plan" in getattr(item, "fixturenames", ())
    ]

    def run(plan):
        sonde = Sonde(program, tmp_path_factory.mktemp("run"))
        scripts = reliability.scripts(plan, marks[plan.api])
        words = ("--device", "cpu", "--api", plan.api, *reliability.asking(plan.probes))
        limits = ("--silence-limit", SILENCE_LIMIT, "--seed", "3", "-o", "run.jsonl")
        turns = sonde.folder / "turn"
        done = sonde("run", *words, *limits, env=layers(scripts, SONDE_FAULTS_TURNS=str(turns)), timeout=300)
        return done, sonde.records()

    with ThreadPoolExecutor(RUNS_AT_ONCE) as pool:
        yield {plan.name: pool.submit(run, plan) for plan in wanted}


def assert_told_once(records, cell):
    """One error with all that a user has to know, and no value."""
    errors = of_kind(records, "error", api=cell.api, probe=cell.probe)
    assert len(errors) == 1, (cell, errors)
    (error,) = errors
    assert error["device"] == "cpu"
    # What fails before the first point has none.
    assert ("series" in error) == ("x" in error), error
    assert cell.fault.word(cell.api) in error["reason"], (cell, error)
    assert any(word in error["reason"] for word in ADVICE), error
    if cell.fault.spoils_all:
        assert not of_kind(records, "sample", api=cell.api, probe=cell.probe), cell
    # What was not tried any more is one line.
    given_up = [skip for skip in of_kind(records, "skip", api=cell.api, probe=cell.probe) if "series" not in skip]
    assert len(given_up) <= 1, given_up


@pytest.mark.parametrize("plan", PLANS, ids=[plan.name for plan in PLANS])
def test_each_fault_is_told_once_and_costs_its_probe_alone(valid, runs, plan):
    done, records = runs[plan.name].result()
    valid(records)
    for cell in plan.cells():
        assert_told_once(records, cell)
    assert done.status == 1
    assert (records[-1]["status"], records[-1]["errors"]) == ("failed", len(plan.cells()))
    measured = of_kind(records, "sample", probe=plan.witness)
    disturbed = [skip for skip in of_kind(records, "skip", probe=plan.witness) if OTHERS_DISTURB in skip["reason"]]
    assert measured or disturbed


def test_the_table_is_what_the_tests_say():
    assert reliability.TABLE.read_text(encoding="utf-8").count(reliability.table()) == 1


def test_a_copy_that_arrives_wrong_is_an_error_beside_what_is_right(sonde, valid, layers, marks):
    fault = reliability.COPIED_WRONGLY
    words = ("--device", "cpu", "--api", "opencl", "--probe", "zero-copy", "--sizes", "64K:64K", "--time", "1")
    env = layers(reliability.counted_from(marks["opencl"], fault.opencl))
    assert sonde("run", *words, "-o", "run.jsonl", env=env).status == 1
    records = sonde.records()
    valid(records)
    (error,) = of_kind(records, "error")
    assert "does not hold what was copied" in error["reason"] and "report the driver" in error["reason"]
    wrong = error["series"]["memory"]
    samples = of_kind(records, "sample")
    assert samples and all(sample["series"]["memory"] != wrong for sample in samples)


@pytest.mark.parametrize("api", reliability.APIS)
def test_a_refused_allocation_is_a_reason_and_no_value(sonde, valid, layers, marks, api):
    fault = reliability.REFUSED
    words = ("--device", "cpu", "--api", api, *reliability.asking(reliability.PROBES))
    env = layers(reliability.counted_from(marks[api], fault.of(api)))
    done = sonde("run", *words, "-o", "run.jsonl", env=env)
    records = sonde.records()
    valid(records)
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
