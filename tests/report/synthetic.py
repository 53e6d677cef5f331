"""Makes a realistic record file without measuring anything: a processor seen through OpenCL and Vulkan."""

import json
import math
import random
import uuid

LEVELS = [(32 << 10, 1.5), (2 << 20, 4.6), (48 << 20, 22.0), (None, 96.0)]
KIB, MIB = 1 << 10, 1 << 20
SKIP_REASON = "This driver's buffers end at 128 MiB <without> buffer addresses & more: update Mesa to 22.3 or newer."
ERROR_REASON = "The worker ended by signal 11 at 512 MiB: run `sonde run --sizes 1K:256M` to leave this size out."

TRANSLATION_EVIDENCE = "One line a page takes 3.1 ns longer from 1,536 pages on, whatever these lines hold."
DISAGREE_EVIDENCE = "OpenCL ends level 2 at 2 MiB (1.94 to 2.06), Vulkan at 2.35 MiB (2.30 to 2.41)."


def latency_ns(size_bytes):
    """Latency of a random cycle over size_bytes: each level holds what it can of a uniformly used set."""
    total, covered = 0.0, 0.0
    for capacity, level_ns in LEVELS:
        share = 1.0 if capacity is None else min(1.0, (capacity / size_bytes) ** 2)
        total += max(0.0, share - covered) * level_ns
        covered = max(covered, share)
    return total


def sizes(low=KIB, high=256 * MIB, per_doubling=4):
    """Working sets in bytes, so many to a doubling, in whole 64-byte lines."""
    steps = round(math.log2(high / low) * per_doubling)
    return [round(low * 2 ** (step / per_doubling) / 64) * 64 for step in range(steps + 1)]


def run_record(**changes):
    """A run record with the given fields changed."""
    return {
        "record": "run", "schema": 1, "run": "0d3f6a52-6f4e-4d7b-9a3c-2f1f0c7c9b11", "time": "2025-03-04T09:15:27Z",
        "version": "0.1.0", "commit": "3f2c1ab", "command": ["sonde", "run", "--effort", "normal"], "seed": 1,
        "effort": "normal",
        "host": {"name": "bench-7", "os": "Debian GNU/Linux 12", "kernel": "6.1.0-28-amd64", "cpu": "AMD EPYC 9554",
                 "cores": 8, "memory_bytes": 33554432000, "virtualised": True},
        **changes,
    }  # fmt: skip


def device_record(**changes):
    """The host processor's device record with the given fields changed."""
    return {
        "record": "device", "device": "cpu", "name": "AMD EPYC 9554", "type": "cpu", "uuid": None, "pci": None,
        "compute_units": 8, "memory_bytes": 33554432000, "unified_memory": True, "line_bytes": 64,
        "opencl": {"platform": "Portable Computing Language", "driver": "PoCL", "driver_version": "3.1",
                   "api_version": "OpenCL 3.0"},
        "vulkan": {"platform": "Mesa", "driver": "llvmpipe", "driver_version": "22.3.6", "api_version": "1.3.230"},
        **changes,
    }  # fmt: skip


def sample_records(api, seed, device="cpu", added_ns=0.0, factor=1.0, every=1, series=None):
    """Samples of one curve: one-sided noise, and a few points that other programs disturbed."""
    random_numbers = random.Random(f"{api}{seed}")
    samples = []
    for number, size_bytes in enumerate(sizes()[::every]):
        disturbed = number % 23 == 17
        centre = latency_ns(size_bytes) * factor + added_ns
        spread = 0.12 if disturbed else 0.015
        values = [
            round(centre * (1.04 if disturbed else 1.0) * (1 + random_numbers.expovariate(1 / spread)), 4)
            for _ in range(random_numbers.randint(7, 12))
        ]
        state = {
            "foreign_cpu": round(random_numbers.uniform(*((0.08, 0.3) if disturbed else (0, 0.02))), 4),
            "steal": 0.0, "disturbed": disturbed,
            "clock_settled": True,
            "steps": max(1 << 16, size_bytes // 64), "launch_ns": round(1500 + random_numbers.random() * 300, 1),
            "involuntary_switches": random_numbers.randint(0, 40),
        }  # fmt: skip
        samples.append({
            "record": "sample", "device": device, "api": api, "probe": "latency", "series": series or {}, "unit": "ns",
            "x": {"bytes": size_bytes}, "values": values, "process": [0], "state": state,
            "t": round(1.2 + number * 0.31, 2),
        })  # fmt: skip
    return samples


def also_in_cycles(samples, clock_mhz=2500, source="shader-clock"):
    """Each sample with the core's clock beside it, followed by the same in cycles."""
    found = []
    for sample in samples:
        state = {**sample["state"], "clock_mhz": clock_mhz, "clock_source": source}
        values = [round(value * clock_mhz / 1000, 4) for value in sample["values"]]
        found += [{**sample, "state": state}, {**sample, "state": state, "unit": "cycles", "values": values}]
    return found


def level_records(api, device="cpu", levels=LEVELS, added_ns=0.0, shift=1.0):
    """The levels of a curve, each with its name and an interval around its size and its latency."""
    found = []
    for number, (capacity, level_ns) in enumerate(levels, start=1):
        size, latency = capacity and capacity * shift, level_ns + added_ns
        found.append({
            "record": "level", "device": device, "api": api, "probe": "latency", "series": {}, "level": number,
            "name": f"level {number}" if size else "memory",
            "bytes": size and {"low": round(size * 0.97), "value": round(size), "high": round(size * 1.03)},
            "transition": size and {"onset": round(size), "end": round(size * 1.4)},
            "latency_ns": {"low": latency * 0.99, "value": latency, "high": latency * 1.015},
        })  # fmt: skip
    return found


def bandwidth_level_records(
    api="opencl", levels=((33 * KIB, 150), (2 * MIB, 60), (None, 24)), matches=(), device="cpu"
):
    """The levels of a bandwidth curve in GB/s; `matches` has the latency level of each, none where it is absent."""
    series = {"path": "buffer", "memory": "device", "pattern": "read", "sharing": "shared"}
    matches = [*matches, *[None] * (len(levels) - len(matches))]
    found = []
    for one, (_, gbps), level in zip(level_records(api, device, levels), levels, matches, strict=True):
        del one["latency_ns"]
        band = {"low": gbps * 0.98, "value": gbps, "high": gbps * 1.02}
        found.append({**one, "probe": "bandwidth", "series": series, "matches": level, "bandwidth": band})
    return found


def counter_records(count=400, seconds=0.001, baseline=50, served=0.7, seed=1, source="amd", **changes):
    """What counters saw in so many intervals, the first ones idle: traffic in waves, now and then no hit rate known."""
    random_numbers = random.Random(seed)
    found = []
    for number in range(count):
        idle = number < baseline
        moved = (2e8 if idle else 2e11 * (1 + 0.3 * math.sin(number / 40))) * seconds * random_numbers.uniform(0.9, 1.1)
        rate = min(0.99, served + 0.1 * math.sin(number / 90) + random_numbers.gauss(0, 0.03))
        fabric = {"fabric_read": round(0.7 * moved), "fabric_write": round(0.3 * moved)}
        memory = {name.replace("fabric", "memory"): round(value * (1 - rate)) for name, value in fabric.items()}
        known = not idle and not 60 <= number % 97 < 70
        found.append({
            "record": "counter", "source": source, "t": round((number + 1) * seconds, 6), "dt": seconds, **fabric, **memory,
            "gpu_read": None, "gpu_write": None, "cpu_read": None, "cpu_write": None,
            "cpu_latency_ns": round(110 + moved / seconds / 4e9 + random_numbers.gauss(0, 4), 2),
            "hit_rate": 1 - sum(memory.values()) / sum(fabric.values()) if known else None, "beat_bytes": 64, "scale": 4.0,
            "scaled": False, "baseline": idle, "state": {"gpu_clock_mhz": 2500}, **changes,
        })  # fmt: skip
    return found


def watch_records(**changes):
    """A file of `sonde watch`, which names no device."""
    run = run_record(command=["sonde", "watch", "--", "game"])
    end = {"record": "end", "status": "complete", "seconds": 0.4, "samples": 0, "skips": 0, "errors": 0}
    return [run, *counter_records(**changes), end]


def finding_record(finding="translation", **changes):
    """A finding of the latency probe with the given fields changed."""
    return {
        "record": "finding", "device": "cpu", "api": "opencl", "probe": "latency", "series": {"order": "page"},
        "finding": finding, "value": 6 * MIB, "unit": "bytes", "evidence": TRANSLATION_EVIDENCE, **changes,
    }  # fmt: skip


def curve_record(**changes):
    """The declaration of a curve of a probe that no version knows, with the given fields changed."""
    return {
        "record": "curve", "curve": "walk", "probe": "added-later", "series": {}, "unit": "ns", "title": "Time of a walk",
        "x": "bytes", "better": "lower", "per_clock": 1, "table": {"title": "Walks", "rows": "bytes", "columns": "title"},
        **changes,
    }  # fmt: skip


def finding_kind_record(**changes):
    """The declaration of a kind of finding that no version knows, with the given fields changed."""
    return {
        "record": "finding-kind", "probe": "latency", "finding": "added-later", "heading": "What was added",
        "meaning": "A sentence.", "better": None, "named_by": [], **changes,
    }  # fmt: skip


def records(seed=1):
    """A whole run as it was before levels were found: run, device, two curves, a skip, an error, end."""
    found = [
        run_record(seed=seed),
        device_record(),
        *sample_records("opencl", seed),
        *sample_records("vulkan", seed, added_ns=3.1),
    ]
    return _ended(found)


def full_records(seed=1):
    """A whole run with all that the latency probe finds: further orders, levels and findings as well."""
    found = records(seed)[:-3]
    for api, added_ns in (("opencl", 0.0), ("vulkan", 3.1)):
        found += sample_records(api, seed, every=2, added_ns=added_ns + 0.4, series={"order": "independent"})
        found += sample_records(api, seed, every=4, added_ns=added_ns, factor=0.7, series={"order": "page"})
        found += level_records(api, added_ns=added_ns, shift=1.0 if api == "opencl" else 1.04)
    found.append(finding_record())
    found.append(finding_record("apis-disagree", series={}, value=None, unit=None, evidence=DISAGREE_EVIDENCE))
    return _ended(found)


def _ended(found):
    place = {"device": "cpu", "api": "vulkan", "probe": "latency"}
    counts = {"samples": sum(record["record"] == "sample" for record in found), "skips": 1, "errors": 1}
    return [
        *found,
        {"record": "skip", **place, "series": {"path": "image"}, "reason": SKIP_REASON},
        {"record": "error", **place, "series": {}, "x": {"bytes": 512 * MIB}, "reason": ERROR_REASON},
        {"record": "end", "status": "complete", "seconds": 47.3, **counts},
    ]


def write(path, lines):
    """Writes records to a file, one a line, and returns the path; a run has an id of its own in each file."""
    if lines and lines[0].get("run") == run_record()["run"]:
        lines = [lines[0] | {"run": str(uuid.uuid5(uuid.NAMESPACE_OID, str(path)))}, *lines[1:]]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path
