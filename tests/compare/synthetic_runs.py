"""Runs of a simulated device with three levels and a few findings, whose answers are known and whose noise is small."""

import math
import random

import synthetic

LATENCIES = {"level 1": 40.0, "level 2": 110.0, "memory": 290.0}
SIZES = {"level 1": 16384, "level 2": 163840}
BANDWIDTHS = {"level 1": 900.0, "level 2": 400.0, "memory": 100.0}
COPIES = {"to-device": 40.0, "to-host": 25.0}
DEVICE = "model:compared"


def run(
    seed, noise=0.002, clock_mhz=None, disturbed=(), without=(), words=None, type_="model", device=DEVICE, **factors
):
    """One run: factors multiply what they name (level_2_latency=1.03), without leaves levels out, words are verdicts.

    disturbed: probes whose every sample other programs disturbed.
    """
    rng = random.Random(seed)

    def noisy(value, name):
        return value * factors.get(name.replace(" ", "_").replace("-", "_"), 1.0) * rng.gauss(1, noise)

    found = [synthetic.run_record(seed=seed, run=f"run {seed}"), _device(type_, device)]
    kept = [name for name in LATENCIES if name not in without]
    latencies = {name: noisy(LATENCIES[name], f"{name} latency") for name in kept}
    bandwidths = {name: noisy(BANDWIDTHS[name], f"{name} bandwidth") for name in kept}
    state = {"clock_mhz": clock_mhz} if clock_mhz else {}
    for probe, series, unit, levels in (
        ("latency", {}, "ns", latencies),
        ("bandwidth", {"path": "buffer"}, "GB/s", bandwidths),
    ):
        found += _curve(rng, noise, probe, series, unit, levels, {"disturbed": probe in disturbed, **state}, device)
    for number, name in enumerate(kept, start=1):
        latency = latencies[name]
        level = _level(
            "latency", {}, number, name, noisy(SIZES[name], f"{name} size") if name in SIZES else None, device
        )
        level["latency_ns"] = _band(latency)
        if clock_mhz:
            level["cycles"] = _band(latency * clock_mhz / 1000)
        found.append(level)
    for number, name in enumerate(kept, start=1):
        level = _level("bandwidth", {"path": "buffer"}, number, name, SIZES.get(name), device)
        found.append(level | {"matches": number, "bandwidth": _band(bandwidths[name])})
    for direction, gbps in COPIES.items():
        series = {"engine": "driver", "host": "pinned", "direction": direction}
        found.append(_finding("copy", series, "bandwidth", noisy(gbps, f"copy bandwidth {direction}"), "GB/s", device))
    for memory, word in {"svm-fine": "zero-copy", "svm-coarse": "zero-copy", **(words or {})}.items():
        value, unit = (noisy(8.1, f"zero-copy {memory}"), "us") if word == "zero-copy" else (40.0, "GB/s")
        if word in ("unclear", "unsupported"):
            value, unit = None, None
        series = {"memory": memory, "direction": "to-host"}
        found.append(_finding("zero-copy", series, word, value, unit, device))
    loss = 0.2 + factors.get("cpu_loss", 0) + rng.gauss(0, noise)
    found.append(_finding("contention", {"side": "cpu", "pattern": "add"}, "cpu-loss", loss, "ratio", device))
    rate = {"type": "fp32", "operation": "fma", "chain": "parallel"}
    rated = noisy(1000.0, "arithmetic rate")
    found.append(_finding("compute", rate, "peak", rated, "Gop/s", device))
    return [*found, {"record": "end", "status": "complete", "seconds": 1, "samples": 3, "skips": 0, "errors": 0}]


def runs(count, first=1, **what):
    """So many runs with different noise."""
    return [run(seed, **what) for seed in range(first, first + count)]


def _device(type_, device):
    return synthetic.device_record(device=device, name="a device", type=type_)


def _band(value):
    return {"low": value * 0.98, "value": value, "high": value * 1.02}


def _level(probe, series, number, name, size, device):
    return {
        "record": "level", "device": device, "api": "opencl", "probe": probe, "series": series, "level": number,
        "name": name, "bytes": size and _band(size), "transition": None,
    }  # fmt: skip


def _finding(probe, series, word, value, unit, device):
    bounds = {} if value is None else {"low": value * 0.97, "high": value * 1.03}
    return synthetic.finding_record(
        word, device=device, api="opencl", probe=probe, series=series, value=value, unit=unit, evidence="A test.", **bounds
    )  # fmt: skip


def _curve(rng, noise, probe, series, unit, levels, state, device):
    """A curve over sizes with a step behind each level, a visit a point."""
    found = []
    for size in (round(2048 * 2 ** (step / 4)) for step in range(49)):
        at = next((value for name, value in levels.items() if size <= SIZES.get(name, math.inf)))
        state_ = state | ({"clock_mhz": state["clock_mhz"] * rng.gauss(1, 0.0003)} if "clock_mhz" in state else {})
        found.append({"record": "sample", "device": device, "api": "opencl", "probe": probe, "series": series,
                      "x": {"bytes": size}, "unit": unit, "values": [at * rng.gauss(1, noise)], "state": state_, "t": 1.0})  # fmt: skip
    return found
