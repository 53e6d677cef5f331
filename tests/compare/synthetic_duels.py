"""Duels of a simulated device with three levels, whose answers are known: visits in pairs, each side's in turn."""

import math
import random

import synthetic
import synthetic_runs

SIDES = "base", "new"
SIZES = [round(2048 * 2 ** (step / 2)) for step in range(20)]
CURVES = {
    "latency": ({}, "ns", synthetic_runs.LATENCIES),
    "bandwidth": ({"path": "buffer"}, "GB/s", synthetic_runs.BANDWIDTHS),
}


def duel(seed, rounds=4, rounds_a_process=1, noise=0.01, settings=((), ("ACO_DEBUG=noopt",)), machine=None, apart=0.0,
         sizes=SIZES, lacks=(), **factors):  # fmt: skip
    """BASE's and NEW's records: factors multiply what they name of NEW (level_2_latency=1.01), or any(probe, size).

    machine: the logarithm of the machine's slowness at a visit's number, or noise of a visit's own by a random.Random;
    apart: how much processes differ. lacks: (side, probe, least size, reason) of points that one side fails at.
    """
    rng, t = random.Random(seed), 0
    found = [_begin(seed, side, settings[number]) for number, side in enumerate(SIDES)]
    pair = 0
    for round_ in range(rounds):
        process = round_ // rounds_a_process
        if round_ % rounds_a_process == 0:
            of_process = [rng.gauss(0, apart / math.sqrt(2)) for _ in SIDES]
        for probe, size in rng.sample([(probe, size) for probe in CURVES for size in sizes], len(CURVES) * len(sizes)):
            new_first = rng.random() < 0.5
            for order in ((0, 1), (1, 0)):
                for side in order[::-1] if new_first else order:
                    t += 1
                    slow = rng.gauss(0, noise) + (machine(t, rng) if machine else 0) + of_process[side]
                    found[side].append(_visit(probe, size, side, slow, t, process, pair, factors, lacks))
                pair += 1
    return [_ended(records, seed, side, factors, lacks) for side, records in enumerate(found)]


def _begin(seed, side, settings):
    said = {"id": f"duel {seed}", "side": side, "settings": list(settings)}
    run = synthetic.run_record(seed=seed, run=f"{side} {seed}", duel=said, command=["sonde", "duel"])
    return [run, synthetic.device_record(device=synthetic_runs.DEVICE, name="a device", type="model")]


def _visit(probe, size, side, slow, t, process, pair, factors, lacks):
    for who, of_probe, least, why in lacks:
        if (who, of_probe) == (SIDES[side], probe) and size >= least:
            return {"record": "error", "device": synthetic_runs.DEVICE, "api": "opencl", "probe": probe,
                    "series": CURVES[probe][0], "x": {"bytes": size}, "reason": why}  # fmt: skip
    series, unit, levels = CURVES[probe]
    level = next(name for name in levels if size <= synthetic_runs.SIZES.get(name, math.inf))
    value = levels[level] * (_factor(factors, level, probe, size) if side else 1)
    value *= math.exp(slow if unit == "ns" else -slow)
    return {"record": "sample", "device": synthetic_runs.DEVICE, "api": "opencl", "probe": probe, "series": series,
            "x": {"bytes": size}, "unit": unit, "values": [float(f"{value:.6g}")], "state": {}, "t": float(t),
            "process": [process], "pair": pair}  # fmt: skip


def _factor(factors, level, probe, size):
    by_name = factors.get(f"{level} {probe}".replace(" ", "_"), 1.0)
    return by_name * (factors["any"](probe, size) if "any" in factors else 1)


def _ended(records, seed, side, factors, lacks):
    """The records with the levels that a run concludes, and its end."""
    once = {str(one): one for one in records}
    found = list(once.values()) if lacks else records
    for probe, (series, _, levels) in CURVES.items():
        if not any(one["record"] == "sample" and one["probe"] == probe for one in found):
            continue
        for number, (name, value) in enumerate(levels.items(), start=1):
            value *= _factor(factors, name, probe, synthetic_runs.SIZES.get(name, 1 << 20)) if side else 1
            size = synthetic_runs.SIZES.get(name)
            band = {"low": value * 0.98, "value": value, "high": value * 1.02}
            found.append({
                "record": "level", "device": synthetic_runs.DEVICE, "api": "opencl", "probe": probe, "series": series,
                "level": number, "name": name, "bytes": size and {"low": size * 0.9, "value": size, "high": size * 1.1},
                "transition": None, **({"latency_ns": band} if probe == "latency" else {"bandwidth": band, "matches": number}),
            })  # fmt: skip
    return [*found, {"record": "end", "status": "complete", "seconds": 60, "samples": 3, "skips": 0, "errors": 0}]
