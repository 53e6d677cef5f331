"""`sonde list`: every device once, its drivers, and what can be measured on it."""

import json

import pytest

FIELDS = "device name type uuid pci compute_units memory_bytes unified_memory opencl vulkan probes".split()


def test_json_is_an_array_of_valid_device_records(sonde, valid):
    done = sonde("list", "--json")
    assert done.status == 0
    devices = json.loads(done.out)
    for device in devices:
        assert [field for field in FIELDS if field not in device] == []
        assert device["opencl"] or device["vulkan"]
    valid(devices)


def test_a_device_is_listed_once(listed):
    for field in ("device", "uuid", "pci"):
        told = [device[field] for device in listed if device[field]]
        assert len(set(told)) == len(told)
    assert sum(device["type"] == "cpu" for device in listed) <= 1


def test_the_cpu_is_the_host_processor(listed, opencl_cpu):
    cpu = next(device for device in listed if device["type"] == "cpu")
    assert cpu["device"] == "cpu"
    assert cpu["unified_memory"] is True
    assert "pocl" not in cpu["name"].lower() and "pthread" not in cpu["name"].lower()


def test_gpus_come_before_the_cpu(listed):
    kinds = [device["type"] for device in listed]
    assert kinds == sorted(kinds, key=lambda kind: kind == "cpu")


def test_what_is_not_known_is_null(listed):
    for device in listed:
        assert "" not in device.values()
        assert device["compute_units"] != 0 and device["memory_bytes"] != 0


@pytest.mark.parametrize("api", ["opencl", "vulkan"])
def test_each_probe_is_answered_with_yes_or_a_reason(listed, api):
    for device in listed:
        assert "latency" in device["probes"]
        for probe, answers in device["probes"].items():
            if list(answers) == ["cpu"]:  # asked without a driver
                assert probe in ("cpu-latency", "cpu-bandwidth", "core-to-core")
                continue
            answer = answers[api]
            assert answer == "yes" if device[api] else len(answer.split()) > 3


def test_the_text_shows_what_the_json_has(sonde, listed):
    done = sonde("list")
    assert done.status == 0
    assert "\x1b" not in done.out + done.err
    for index, device in enumerate(listed):
        assert f"{index}  {device['name']}" in done.out
        for api in ("opencl", "vulkan"):
            assert device[api] is None or device[api]["driver_version"] in done.out
    assert "latency" in done.out
