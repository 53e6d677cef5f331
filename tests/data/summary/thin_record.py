"""Makes a small record file, for tests/unit/summary_test.cpp, of a whole one.

sonde run --device model:NAME --effort quick --seed 1 -o whole.jsonl
python tests/data/summary/thin_record.py whole.jsonl PROBE ... > tests/data/summary/NAME.jsonl

It keeps every curve, of all probes where none is named, but few of its points and of their values the quartiles.
"""

import json
import statistics
import sys
from collections import defaultdict
from pathlib import Path

MOST_POINTS = 4  # of a curve
MOST_POINTS_DRAWN = 16  # of the cyclic walk, of which there is a chart
KEPT_STATE = ("disturbed", "laps_settling", "shape")


def curve_of(record):
    return json.dumps([record["probe"], record["series"], record.get("unit"), record["record"]])


def most_points(record):
    if record["record"] == "counter" or record["probe"] == "zero-copy":
        return 1  # only the largest is shown, or what was found
    return MOST_POINTS_DRAWN if record["probe"] == "latency" and "order" not in record["series"] else MOST_POINTS


def thinned(records):
    """At most so many points of each curve, evenly spaced, the last among them."""
    curves = defaultdict(list)
    for record in records:
        if record["record"] in ("sample", "counter"):
            curves[curve_of(record)].append(record)
    kept = set()
    for points in curves.values():
        points.sort(key=lambda point: sorted(point["x"].items()))
        steps = min(most_points(points[0]), len(points))
        kept |= {id(points[-1 - round(step * (len(points) - 1) / max(steps - 1, 1))]) for step in range(steps)}
    return [one for one in records if one["record"] not in ("sample", "counter") or id(one) in kept]


def small(record):
    if record["record"] == "run":
        host = {"name": "", "os": "", "kernel": "", "cpu": "", "cores": 0, "memory_bytes": 0, "virtualised": None}
        record |= {"run": "", "time": "", "commit": "", "command": ["sonde", *record["command"][1:-2]], "host": host}
    if record["record"] == "sample":
        values = record["values"]
        record["values"] = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 2 else values
        record["values"] = [float(f"{value:.6g}") for value in record["values"]]
        record["state"] = {name: record["state"][name] for name in KEPT_STATE if record["state"].get(name)}
        record["t"] = 0
    return {name: value for name, value in record.items() if name != "details"}


def main():
    records = [json.loads(line) for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()]
    probes = sys.argv[2:]
    wanted = [
        one
        for one in records
        if one.get("unit") != "cycles"
        and one["record"] not in ("curve", "finding-kind")
        and ("probe" not in one or not probes or one["probe"] in probes)
    ]
    for record in thinned(wanted):
        print(json.dumps(small(record), separators=(",", ":")))


main()
