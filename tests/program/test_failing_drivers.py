"""A driver that fails while it is listed costs itself alone: the other is listed and measured whole."""

import json
import re

import failing_drivers
import pytest
from failing_drivers import APIS, FAULTS
from program_runs import ONE_POINT, Sonde, of_kind

CASES = [pytest.param(api, fault, id=f"{api}-{fault.name}") for api in APIS for fault in FAULTS]


@pytest.fixture
def beside(program, compiler, both_cpu, tmp_path):
    """A machine with a good driver and one with a fault, and the program there."""

    def made(api, fault):
        folder = tmp_path / "drivers"
        folder.mkdir()
        machine = failing_drivers.machine(compiler, api, fault, folder)
        work = tmp_path / "work"
        work.mkdir()
        return machine, Sonde(program, work, machine.starter)

    return made


@pytest.mark.parametrize(("api", "fault"), CASES)
def test_the_other_driver_is_listed_and_measured_whole(beside, valid, api, fault):
    machine, sonde = beside(api, fault)
    listed = sonde("list", "-v", env=machine.environment)
    print(f"sonde list took {listed.seconds:.1f} s")
    assert listed.status == 0
    said = " ".join(listed.err.split())
    spoken = {"opencl": "OpenCL", "vulkan": "Vulkan"}[api]
    good = re.search(re.escape(f"{spoken}: {machine.good}: 1 device, by "), listed.text)
    assert good, listed.out
    # The layer's file of Vulkan is its manifest.
    if told := fault.warning(api):
        assert said.count(told) == 1, said
        assert str(machine.bad) in said or "bad.json" in said
    if fault.devices:
        assert f"{machine.bad}: {fault.devices} device" in listed.text
    words = ("run", "--device", "cpu", "--api", api, "--probe", "latency,bandwidth", *ONE_POINT, "-o", "run.jsonl")
    done = sonde(*words, env=machine.environment)
    assert done.status == 0, done.err
    records = sonde.records()
    valid(records)
    assert {sample["probe"] for sample in of_kind(records, "sample", api=api)} == {"latency", "bandwidth"}
    assert not of_kind(records, "error") and records[-1]["status"] == "complete"


@pytest.mark.parametrize("api", APIS)
def test_without_a_fault_nothing_is_said(beside, api):
    machine, sonde = beside(api, failing_drivers.Fault("none", word="none"))
    done = sonde("list", env=machine.environment)
    assert (done.status, done.err) == (0, "")


@pytest.mark.parametrize("api", APIS)
def test_a_driver_without_a_device_is_passed_over(beside, api):
    machine, sonde = beside(api, failing_drivers.Fault("refuses", word="refuses"))
    done = sonde("list", "-v", env=machine.environment)
    assert (done.status, done.err) == (0, "")
    assert f"{machine.bad}: no device here" in done.text


@pytest.mark.parametrize("api", APIS)
def test_a_driver_for_32_bit_programs_is_passed_over_as_such(beside, api):
    machine, sonde = beside(api, failing_drivers.Fault("for 32-bit programs", word="none", of_32_bits=True))
    done = sonde("list", "-v", env=machine.environment)
    assert (done.status, done.err) == (0, "")
    assert f"{machine.bad}: a driver for 32-bit programs" in done.text


@pytest.mark.parametrize("api", APIS)
def test_a_list_waits_as_long_as_it_is_told(beside, api):
    machine, sonde = beside(api, failing_drivers.Fault("slow", word="slow"))
    done = sonde("list", "--silence-limit", "1", env=machine.environment)
    assert done.status == 0
    assert str(machine.bad) in done.err and "reported nothing for 1 s" in done.err and "--silence-limit" in done.err


def test_json_has_devices_alone(sonde, both_cpu):
    done = sonde("list", "-v", "--json")
    assert json.loads(done.out) == json.loads(sonde("list", "--json").out)


def test_the_document_has_every_fault():
    text = failing_drivers.DOCUMENT.read_text(encoding="utf-8")
    assert [fault.name for fault in FAULTS if f"| {fault.name} |" not in text] == []
