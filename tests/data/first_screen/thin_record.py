"""Makes a small record file, from which a first screen is drawn, of whole ones of the same device.

python tests/data/first_screen/thin_record.py WHOLE.jsonl ... > tests/data/first_screen/NAME.jsonl

It keeps what was concluded, and few points of every curve with the median of each visit alone.
"""

import json
import statistics
import sys
from collections import defaultdict
from pathlib import Path

MOST_POINTS = {
    "zero-copy": 0,
    "host-memory": 0,
    "latency": 10,
    "bandwidth": 8,
    "loaded-latency": 5,
    "cpu-latency": 6,
    "frames": 6,
    "cpu-bandwidth": 4,
}
KEPT_STATE = ("disturbed", "laps_settling", "foreign_cpu", "steal")
DROPPED = ("curve", "finding-kind", "counter")


def point_of(record):
    return tuple(sorted(record["x"].items()))


def kept_points(records):
    curves = defaultdict(set)
    for one in records:
        if one["record"] == "sample" and "groups" not in one["x"]:
            curves[one["api"], one["probe"], json.dumps(one["series"]), one["unit"]].add(point_of(one))
    kept = set()
    for curve, points in curves.items():
        most = min(MOST_POINTS.get(curve[1], 1), len(points))
        if curve[1] == "latency" and "order" in curve[2]:
            most = 1
        ordered = sorted(points)
        kept |= {(curve, ordered[-1 - round(at * (len(ordered) - 1) / max(most - 1, 1))]) for at in range(most)}
    return kept


def small(record):
    if record["record"] == "run":
        record["command"] = ["sonde", *record["command"][1:]]
        record["run"] = record["commit"] = ""
        record["host"]["name"] = ""
    if record["record"] == "sample":
        record["values"] = [float(f"{statistics.median(record['values']):.4g}")]
        record["state"] = {name: record["state"][name] for name in KEPT_STATE if record["state"].get(name)}
        record["t"] = 0
        record.pop("visits", None)
    if record["record"] == "finding":
        record["evidence"] = "-"  # readers refuse an empty one
    return record


def main():
    records = []
    ends = []
    for name in sys.argv[1:]:
        for line in Path(name).read_text(encoding="utf-8").splitlines():
            one = json.loads(line)
            first_of_its_kind = not any(other["record"] == one["record"] for other in records)
            if one["record"] == "end":
                ends.append(one)
            elif one["record"] not in DROPPED and (one["record"] not in ("run", "device") or first_of_its_kind):
                if one.get("unit") != "cycles":
                    records.append(one)
    kept = kept_points(records)
    for one in records:
        curve = (one.get("api"), one.get("probe"), json.dumps(one.get("series")), one.get("unit"))
        if one["record"] != "sample" or (curve, point_of(one)) in kept:
            print(json.dumps(small(one), separators=(",", ":")))
    if ends:
        print(json.dumps(ends[0] | {"seconds": sum(end["seconds"] for end in ends)}, separators=(",", ":")))


main()
