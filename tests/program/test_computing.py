"""The probe of arithmetic, as a user runs it: simulated rates come back, and every driver's work is proved."""

import pytest
from program_runs import of_kind

QUICK = ("--probe", "compute", "--time", "1", "-o", "run.jsonl")
RATES = {"fp32": 128, "fp16": 128, "fp64": 2, "int32": 64, "int8": 64, "functions": 16}


def test_a_simulated_devices_rates_come_back(sonde, valid, model_file):
    model = model_file(noise=None, memory_bytes=1 << 28, compute_units=8, clock_mhz=2000, arithmetic=RATES)
    done = sonde("run", "--device", model, *QUICK, timeout=120)
    assert done.status == 0, done.err
    valid(sonde.records())
    peaks = {one["series"]["type"]: one for one in of_kind(sonde.records(), "finding") if one["finding"] == "peak"}
    for kind, rate in RATES.items():
        if kind != "functions":
            assert peaks[kind]["value"] == pytest.approx(8 * 2 * rate * 2, rel=0.01)
    (half_rate,) = (one for one in of_kind(sonde.records(), "finding") if one["finding"] == "half-rate")
    assert half_rate["value"] == pytest.approx(1, rel=0.02)
    missing = {(one["series"]["type"], one["series"]["operation"]) for one in of_kind(sonde.records(), "skip")}
    assert missing == {("int64", "multiply-add"), ("int16", "multiply-add"), ("int8", "dot4")}
    assert "fp16 fma reaches" in sonde("show", "run.jsonl", "-v").text


def test_a_model_without_arithmetic_says_so(sonde, valid, model_file):
    done = sonde("run", "--device", model_file(noise=None, memory_bytes=1 << 28), *QUICK)
    assert done.status == 1
    valid(sonde.records())
    (skip,) = of_kind(sonde.records(), "skip")
    assert '"arithmetic"' in skip["reason"]


def test_a_rate_that_is_none_is_refused_by_its_field(sonde, model_file):
    done = sonde("run", "--device", model_file(arithmetic={"fp32": 0}), *QUICK)
    assert done.status == 2
    assert "arithmetic.fp32" in done.err


def test_every_drivers_arithmetic_is_proved(sonde, valid):
    done = sonde("run", "--device", "cpu", *QUICK, timeout=240)
    assert done.status == 0, done.err + done.out
    valid(sonde.records())
    assert not of_kind(sonde.records(), "error")
    samples = of_kind(sonde.records(), "sample")
    for api in {one["api"] for one in samples}:
        measured = {tuple(sorted(one["series"].items())) for one in samples if one["api"] == api}
        # A CPU at quick: rate and latency of three types, where it has them.
        assert len(measured) >= 4
    assert all(value > 0 for one in samples for value in one["values"])
