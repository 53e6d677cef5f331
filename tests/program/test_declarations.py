"""Curves and kinds of findings are declared in the record before they are first used, once."""

import json

from program_runs import of_kind


def curve_of(record):
    return (record["probe"], json.dumps(record["series"], sort_keys=True), record["unit"])


def kind_of(record):
    return (record["probe"], record["finding"])


def test_what_a_record_uses_was_declared_before(sonde, valid):
    done = sonde("run", "--device", "model:strix-halo", "--sizes", "4K:1M", "--time", "1", "-o", "run.jsonl")
    assert done.status == 0, done.err
    records = sonde.records()
    valid(records)
    curves, kinds = set(), set()
    for record in records:
        match record["record"]:
            case "curve":
                assert curve_of(record) not in curves, "declared again"
                curves.add(curve_of(record))
            case "sample":
                assert curve_of(record) in curves
                # What runs meanwhile is `beside` elsewhere.
                assert "fabric" not in record["series"] or record["probe"] in ("latency", "host-memory")
            case "finding-kind":
                assert kind_of(record) not in kinds, "declared again"
                kinds.add(kind_of(record))
            case "finding":
                assert kind_of(record) in kinds
    assert {probe for probe, *_ in curves} >= {"latency", "bandwidth", "copy", "zero-copy", "compute"}
    assert kinds
    assert len(curves) == len({curve_of(sample) for sample in of_kind(records, "sample")}), "declared and not used"
