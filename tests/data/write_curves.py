#!/usr/bin/env python3
"""Writes the recorded machines of this folder: NAME.jsonl, a record file, from the knots below.

Usage: tests/data/write_curves.py [NAME …]

A knot is a working set in KiB and a latency. Between knots the curve is straight on logarithmic axes. README.md names
the sources. NAME.expected.json is written by hand, from the source and not from what this program writes.
"""

import itertools
import json
import math
import random
import sys
import uuid
from pathlib import Path

HERE = Path(__file__).resolve().parent
MIB, GIB = 1024, 1024 * 1024  # in KiB

RRZE = "RRZE-HPC/gpu-benches, gpu-latency"
HOP = "HPMLL/NVIDIA-Hopper-Benchmark, RegularUnits/random_latency"

# Latencies in cycles of `clock_mhz`, which turns them into ns. `spread` says from which KiB on the values of one
# point lie within which share of the median, as the source's 5 and 95 % quantiles do; `dense` where points lie
# close: from, to, how many.
# fmt: off
PUBLISHED = {
    "gh200": {
        "title": "NVIDIA GH200", "source": RRZE, "clock_mhz": 1980, "line": 128, "units": 132,
        "knots": "2 32 10 32.1 40 32.35 100 32.8 150 33.2 213 33.7 221 74.5 229 108 238 101 247 147 257 160 "
                 "267 183 288 226 310 273 322 281 450 280.4 25400 280.3 26400 284.5 28400 288 29500 295.5 "
                 "30600 317 31800 361 33000 411 34200 458 35500 465.5 36900 490 39700 512 42000 521.5 "
                 "44500 515 47900 488 49700 481.5 51600 482.5 55600 497 58000 512 60000 533 62200 576 "
                 "64500 611 67000 625 72000 622 84000 625.5 90000 620 97500 610 101000 611 109000 629 "
                 "117000 655 122000 670 139000 680.4 236000 680.4 350000 683 600000 686 2250000 689.2",
        "spread": {2: 0.001, 214: 0.05, 320: 0.0005, 25500: 0.003},
        "dense": [(196, 334, 16), (24000, 40000, 14), (41000, 125000, 16)],
    },
    "h800-pcie": {
        "title": "NVIDIA H800 PCIe", "source": HOP, "clock_mhz": 1755, "line": 128, "units": 114,
        "knots": "2 32 39 32.1 90 32.2 159 32.3 215 32.4 227 83 240 94 254 149 268 175 283 204 298 231 314 260 "
                 "330 264 800 264 1600 264.5 21600 264.5 22500 271 23400 271.5 25300 279 26300 325 27300 394 "
                 "28400 445 29600 486 31000 495 32000 493 33300 472 34600 463 37500 475 40500 492 43000 498 "
                 "47500 499 49300 493 51300 497 53400 565 55500 600 58000 619 62500 647 65000 645 70000 630 "
                 "76000 612.5 80000 607 92500 603 96000 599.5 104000 592 108000 598 117000 623 122000 638 "
                 "190000 647.6 460000 652.2 1120000 655.4 2700000 656.8",
        "spread": {2: 0.001, 216: 0.05, 330: 0.0005, 21600: 0.003},
        "dense": [(200, 340, 16), (20500, 33000, 14), (34000, 125000, 16)],
    },
    "a100": {
        "title": "NVIDIA A100 80GB", "source": RRZE, "clock_mhz": 1410, "line": 128, "units": 108,
        "knots": "2 33 20 33.1 50 33.3 95 33.5 130 33.7 152 33.9 158 68.5 164 84.5 171 103 177 126 184 145 "
                 "192 149 199 174.5 207 190.5 215 198 223 205.3 300 205.3 420 205.8 17300 205.5 18600 206.6 "
                 "19300 212.5 20000 247 20800 271 21600 291 22400 322 23250 377 24100 405.5 25000 412.5 "
                 "26000 397 27000 387.5 29000 398 31500 413 33800 407 35000 395 36400 390 39200 407 40700 460 "
                 "42200 475.5 43800 493 45500 512 49000 516 53000 507 57000 517 61300 540 64000 547 "
                 "68500 546.5 74000 541 80000 530 86000 523 95000 520.5 107000 511.5 111000 514.5 116000 525 "
                 "120000 536.5 137000 550.2 300000 551.4 600000 552.2 2200000 552.4",
        "spread": {2: 0.001, 153: 0.05, 223: 0.003, 19000: 0.04, 25000: 0.001, 38000: 0.01, 45000: 0.001},
        "dense": [(140, 232, 16), (17200, 30000, 15), (31000, 125000, 18)],
    },
    "rtx4090": {
        "title": "NVIDIA GeForce RTX 4090", "source": HOP, "clock_mhz": 2235, "line": 128, "units": 128,
        "knots": "2 36 45 36.2 84 36.4 90 51 95 119.5 101 170.5 107 212 113 241 120 257 127 270 134 276.5 "
                 "141 281 157 284.8 27000 284.8 36500 286 50000 288.3 66000 290 68500 293.3 71200 294.6 "
                 "74000 349 77000 383.5 80000 432 83300 470.5 86700 498.5 90000 520.5 93700 538 97500 552 "
                 "101500 561 105500 565.5 110000 568 118500 569 185000 570 450000 571 1100000 571.6",
        "spread": {2: 0.001, 86: 0.05, 150: 0.0005, 68000: 0.01, 105000: 0.001},
        "dense": [(78, 165, 16), (60000, 122000, 18)],
    },
    "l40": {
        "title": "NVIDIA L40", "source": RRZE, "clock_mhz": 2490, "line": 128, "units": 142,
        "knots": "2 34 20 34.2 50 34.4 86 34.7 89 44.7 93 88 96.5 114 100 111 104 111 108 175 112 171 "
                 "116.5 166 121 212 130 220 135.5 230.5 141 253 146 273.7 220 273.8 26400 273.6 35500 274.6 "
                 "48000 276.8 64500 278.6 87000 280 90300 280.4 93700 285 97300 301 101000 415 105000 543 "
                 "109000 578 113000 589 117000 601 121700 613 139000 622.7 308000 624 890000 624.7 2250000 625",
        "spread": {2: 0.001, 88: 0.04, 145: 0.0003, 91500: 0.02, 107000: 0.0003},
        "dense": [(80, 155, 18), (84000, 128000, 16)],
    },
    "a40": {
        "title": "NVIDIA A40", "source": RRZE, "clock_mhz": 1740, "line": 128, "units": 84,
        "knots": "2 33 20 33.1 50 33.35 90 33.6 104 33.7 108 77.5 112 95.5 116.5 93.3 121 138 126 144 "
                 "130.5 153 135.5 178 141 206 146 229 152 238.5 157.5 248.7 163.5 250.4 5300 250.5 5500 254 "
                 "5700 256.5 5930 289.5 6160 363 6390 474.5 6630 505 6890 544 7150 538.5 7700 542.5 8000 546.7 "
                 "26400 546.7 36000 547.8 38300 548.2 39750 541 41250 546 43000 549 50000 550.2 57700 550.8 "
                 "60000 542.5 62200 550 64500 551.7 87000 553 113000 553.8 117000 551.6 122000 546.3 "
                 "139000 554.4 308000 555.7 890000 556.4 2250000 556.6",
        "spread": {2: 0.0005, 105: 0.05, 160: 0.0003, 5400: 0.005, 5850: 0.05, 6800: 0.0004},
        "dense": [(96, 172, 16), (4900, 8200, 16), (37000, 64000, 10)],
    },
    "v100": {
        "title": "NVIDIA V100", "source": RRZE, "clock_mhz": 1380, "line": 128, "units": 80,
        "knots": "2 27.9 25 28 50 28.2 95 28.4 121 28.6 125.5 76.5 130.5 87.5 135.5 112.5 141 137 146 160 "
                 "152 183 158 206.5 164.5 212.3 240 212.1 6070 212.6 6300 297.5 6540 390 6790 420.5 7040 417 "
                 "7310 424 7590 419.3 7880 425.4 16000 425.5 17250 418.6 17900 425.4 19300 425.3 20000 418.4 "
                 "21000 425 23250 425 24150 418.6 25000 425.5 29000 424.8 30200 418.7 31300 425.4 39000 424.8 "
                 "40700 422 42200 427.5 53000 429 57000 429.1 59000 426 61300 425.5 63600 429.8 96000 431.3 "
                 "116000 431.4 120000 425.4 137000 432.2 450000 433.6 1300000 434 2220000 434.1",
        "spread": {2: 0.0005, 122: 0.03, 160: 0.0003, 6100: 0.04, 6700: 0.001},
        "dense": [(112, 172, 15), (5700, 8000, 14), (16500, 31500, 14)],
    },
    "rx6900xt": {
        "title": "AMD Radeon RX 6900 XT", "source": RRZE, "clock_mhz": 2560, "line": 128, "units": 80,
        "knots": "2 73 16 73.1 16.6 123 125.6 123.3 130.5 155.5 135.5 215 141 220.4 700 220.8 1300 222 "
                 "2400 223.4 3300 225 4080 226.4 4240 339 4400 423 51600 423.4 53600 415 55600 406.8 64500 407 "
                 "87000 411 122000 415.2 139000 944 159000 1607 181000 1833 207000 1951 236000 2005 "
                 "270000 2010 350000 2007 520000 2002 890000 1998.6 1510000 1997.6",
        "spread": {2: 0.0005, 16.2: 0.073, 129: 0.042, 4150: 0.021, 54000: 0.002, 125000: 0.03, 190000: 0.002},
        "dense": [(15, 18, 8), (116, 150, 12), (3700, 4700, 12), (48000, 60000, 6), (112000, 260000, 14)],
    },
    "mi300x": {
        "title": "AMD Instinct MI300X", "source": RRZE, "clock_mhz": 2092, "line": 128, "units": 304,
        "knots": "2 119.5 32 119.7 33.9 213 4000 213.6 4170 283 4340 442 4520 455 10000 454.5 25000 456.5 "
                 "63000 457 66000 459 71500 467 81000 477 91500 487 104000 495 117000 503 140000 513 "
                 "160000 519 184000 526 211000 528 241500 534 277000 835 317000 868 364000 873 550000 877 "
                 "820000 882 1250000 884 1630000 889 2140000 907",
        "spread": {2: 0.05, 33: 0.055, 4100: 0.03},
        "dense": [(29, 38, 8), (3700, 4800, 12), (56000, 340000, 20)],
    },
}

# Latencies in ns. `page`: knots of the walk with one line a page, over the span of the pages. `slowed`: share of the
# points that something else slowed, most of their values.
HAND_WRITTEN = {
    "quiet": {
        "title": "Three levels, nothing else", "line": 64, "spread": {4: 0.01},
        "knots": "4 1.6 32 1.6 37 5.1 1024 5.1 1100 20 1250 68 1450 92 1700 95 262144 95",
        "dense": [(27, 42, 12), (880, 1900, 16)],
    },
    "busy": {
        "title": "The quiet machine while other programs run", "line": 64, "spread": {4: 0.02}, "slowed": 1 / 3,
        "knots": "4 1.6 32 1.6 37 5.1 1024 5.1 1100 20 1250 68 1450 92 1700 95 262144 95",
        "dense": [(27, 42, 12), (880, 1900, 16)],
    },
    "drift": {
        "title": "Memory whose translation costs more the larger the set", "line": 64, "spread": {4: 0.01},
        "knots": "4 1.9 32 1.9 36 8 1024 8 1200 60 1500 120 2000 150 4096 165 1048576 250",
        "dense": [(27, 42, 10), (880, 4400, 18)],
    },
    "cpu-first-level-tlb": {
        "title": "A CPU whose first-level TLB is smaller than its second-level cache", "line": 64,
        "spread": {4: 0.008}, "page_bytes": 4096,
        "knots": "4 1.6 48 1.6 56 4.6 64 5.8 384 5.8 512 7 724 8.3 1024 9 2048 9.6 2200 14 2500 30 3000 60 "
                 "3600 82 4400 92 6000 97 262144 99",
        "page": "64 1.6 384 1.6 440 4.5 540 6.3 900 6.7 3072 6.7 3500 9.6 4096 10.9 8192 10.9",
        "dense": [(42, 72, 12), (330, 1200, 10), (1800, 6200, 18)],
    },
    "translation-step": {
        "title": "Memory and a step of address translation at 64 MiB", "line": 128,
        "spread": {4: 0.008}, "page_bytes": 65536,
        "knots": "4 25 16 25 17.5 110 4096 110 4400 190 4800 280 5200 300 65536 300 72000 315 84000 333 "
                 "110000 345 1048576 345",
        "page": "1024 25 8192 25 9000 110 65536 110 68000 150 72000 155 524288 155",
        "dense": [(14, 20, 8), (3700, 5600, 14), (60000, 115000, 12)],
    },
    "two-points-per-octave": {
        "title": "A coarse sweep", "line": 64, "spread": {4: 0.01}, "per_octave": 2,
        "knots": "4 20 48 20 54 90 2048 90 2200 180 2500 270 2900 290 524288 292",
        "dense": [],
    },
    "ends-in-transition": {
        "title": "A sweep that ends while latency still climbs", "line": 64, "spread": {4: 0.01}, "last": 2900,
        "knots": "4 1.6 32 1.6 37 5.1 2048 5.1 2200 7 2400 14 2600 25 2900 45",
        "dense": [(27, 42, 10), (1800, 2900, 14)],
    },
    "starts-beyond-first": {
        "title": "A sweep whose smallest set already exceeds the first level", "line": 64,
        "spread": {4: 0.01}, "first": 96,
        "knots": "96 5.1 1024 5.1 1100 20 1250 68 1450 92 1700 95 262144 95",
        "dense": [(880, 1900, 16)],
    },
    "flat": {
        "title": "One level", "line": 64, "spread": {4: 0.02}, "knots": "4 118 262144 118", "dense": [],
    },
}
# fmt: on


def pairs(text):
    numbers = [float(word) for word in text.split()]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def latency_at(kib, knots):
    for (left, low), (right, high) in itertools.pairwise(knots):
        if kib <= right:
            along = max(0.0, math.log(kib / left) / math.log(right / left))
            return low * (high / low) ** along
    return knots[-1][1]


def spread_at(kib, spread):
    return [share for start, share in sorted(spread.items()) if start <= kib][-1]


def geometric(low, high, count):
    return [low * (high / low) ** (i / (count - 1)) for i in range(count)]


def sizes(machine, knots, dense):
    """Bytes, whole lines: some points an octave, and the dense stretches."""
    first, last = machine.get("first", max(4.0, knots[0][0])), min(knots[-1][0], 2 * GIB)
    per_octave = machine.get("per_octave", 4)
    wanted = [first * 2 ** (i / per_octave) for i in range(math.floor(per_octave * math.log2(last / first)) + 1)]
    # A dense stretch replaces the even points inside it.
    wanted = [kib for kib in wanted if not any(low <= kib <= high for low, high, _ in dense)]
    for stretch in dense:
        wanted += geometric(*stretch)
    return sorted({round(kib * 1024 / machine["line"]) * machine["line"] for kib in wanted})


def values_around(median, share, chance, slowed):
    """Seven values in random order, spread evenly over +-share, so that their median stays near `median`."""
    values = [median * (1 + share * (2 * (i + chance.random()) / 7 - 1)) for i in range(7)]
    if slowed:
        hit = chance.sample(range(7), chance.choice([4, 5, 6, 7]))
        values = [v * chance.uniform(1.1, 2.2) if i in hit else v for i, v in enumerate(values)]
    chance.shuffle(values)
    return [float(f"{value:.5g}") for value in values]


def slowed_points(count, share, chance):
    """Which points something else slowed: never more than two in a row, as a busy machine has pauses."""
    hit = [False] * count
    for place in chance.sample(range(count), count):
        around = hit[max(0, place - 2) : place] + hit[place + 1 : place + 3]
        if sum(hit) < share * count and sum(around) < 2:
            hit[place] = True
    return hit


def samples(name, machine, series, knots, dense, scale, chance):
    points = sizes({**machine, "per_octave": 4} if series else machine, knots, dense)
    slowed = slowed_points(len(points), machine.get("slowed", 0), chance)
    for i, (size, is_slowed) in enumerate(zip(points, slowed, strict=True)):
        median = latency_at(size / 1024, knots) * scale
        share = spread_at(size / 1024, machine["spread"])
        yield {
            "record": "sample",
            "device": name,
            "api": "model",
            "probe": "latency",
            "series": series,
            "x": {"bytes": size},
            "unit": "ns",
            "values": values_around(median, share, chance, is_slowed),
            "state": {},
            "t": round(0.1 * (i + 1), 1),
        }


def records(name, machine, published):
    chance = random.Random(f"sonde {name}")
    if published:
        scale = 1000 / machine["clock_mhz"]
        comment = (
            f"Digitised from {machine['source']}; cycles turned into ns with the source's "
            f"{machine['clock_mhz']} MHz. Measured there with CUDA or HIP: api says model because the "
            "points were not measured by Sonde."
        )
    else:
        scale, comment = 1, "Hand-written: no such machine was measured."
    knots = pairs(machine["knots"])
    found = list(samples(name, machine, {}, knots, machine["dense"], scale, chance))
    if "page" in machine:
        page = pairs(machine["page"])
        found += samples(name, {**machine, "first": page[0][0]}, {"order": "page"}, page, [], scale, chance)
    host = {
        "name": "published" if published else "hand-written",
        "os": "unknown",
        "kernel": "unknown",
        "cpu": "unknown",
        "cores": 1,
        "memory_bytes": 0,
        "virtualised": None,
    }
    yield {
        "record": "run",
        "schema": 1,
        "run": str(uuid.uuid5(uuid.NAMESPACE_URL, "sonde/" + name)),
        "time": "2025-01-01T00:00:00Z",
        "version": "0.1.0",
        "commit": "unknown",
        "command": ["tests/data/write_curves.py", name],
        "seed": 1,
        "effort": "normal",
        "host": host,
        "comment": comment,
    }
    device = {
        "record": "device",
        "device": name,
        "name": machine["title"],
        "type": "discrete" if published else "model",
        "uuid": None,
        "pci": None,
        "compute_units": machine.get("units"),
        "memory_bytes": None,
        "unified_memory": None,
        "line_bytes": machine["line"],
        "opencl": None,
        "vulkan": None,
    }
    if "page_bytes" in machine:
        device["page_bytes"] = machine["page_bytes"]
    yield device
    yield from found
    yield {
        "record": "end",
        "status": "complete",
        "seconds": round(0.1 * len(found), 1),
        "samples": len(found),
        "skips": 0,
        "errors": 0,
    }


def main(names):
    machines = {**PUBLISHED, **HAND_WRITTEN}
    for name in names or machines:
        lines = [json.dumps(record) for record in records(name, machines[name], name in PUBLISHED)]
        (HERE / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
