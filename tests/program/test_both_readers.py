"""What the program reads of a record file, and what the Python package reads: both take the same files and refuse the same."""

import io
import json
import sys

import pytest
from program_runs import ROOT

sys.path.insert(0, str(ROOT / "tools"))
pytest.importorskip("msgspec", reason="the Python packages of sonde report are not installed (tools/setup)")

from sonde_tools import records  # noqa: E402

RUN = {"record": "run", "schema": 1, "run": "u", "seed": 1, "host": {"cores": 2}}
DEVICE = {"record": "device", "device": "d", "name": "little"}
SAMPLE = {
    "record": "sample", "device": "d", "api": "opencl", "probe": "latency", "series": {"path": "vector"},
    "x": {"bytes": 4096}, "unit": "ns", "values": [1.5, 2.5], "state": {}, "t": 1,
}  # fmt: skip
LEVEL = {
    "record": "level", "device": "d", "api": "opencl", "probe": "latency", "series": {}, "level": 1, "name": "level 1",
    "bytes": {"low": 1, "value": 2, "high": 3}, "transition": {"onset": 1, "end": 2},
    "latency_ns": {"low": 1, "value": 2, "high": 3},
}  # fmt: skip
FINDING = {
    "record": "finding",
    "device": "d",
    "api": "opencl",
    "probe": "copy",
    "finding": "engines",
    "evidence": "Two.",
}
COUNTER = {"record": "counter", "source": "s", "t": 0, "dt": 0.1, "memory_read": 64, "scale": 1, "state": {}}
SKIP = {"record": "skip", "device": "d", "api": "opencl", "probe": "latency", "reason": "why not"}
KIND = {"record": "finding-kind", "probe": "copy", "finding": "engines", "heading": "Copy engines", "better": "higher"}
CURVE = {
    "record": "curve", "curve": "walk", "probe": "latency", "series": {}, "unit": "ns", "title": "Latency", "x": "bytes",
    "table": {"title": "Latency", "rows": "bytes", "columns": "path"},
}  # fmt: skip
END = {"record": "end", "status": "complete", "seconds": 1, "samples": 1}
WHOLE = [RUN, DEVICE, CURVE, SAMPLE, LEVEL, KIND, FINDING, COUNTER, SKIP, {**SKIP, "record": "error"}, END]
MARK = "\ufeff"


def text_of(*found):
    return "".join(json.dumps(record) + "\n" for record in found)


def changed(record, **fields):
    return text_of(*(each if each is not record else {**each, **fields} for each in WHOLE))


TAKEN = {
    "whole": text_of(*WHOLE),
    "byte order mark": MARK + text_of(*WHOLE),
    "ends of lines of Windows": text_of(*WHOLE).replace("\n", "\r\n"),
    "blank lines": text_of(*WHOLE).replace("\n", "\n \t\n\r\n"),
    "no end of the last line": text_of(*WHOLE)[:-1],
    "unfinished last line": text_of(*WHOLE)[:-20],
    "every record twice": text_of(*WHOLE, *WHOLE[1:]),
    "a kind of a later version": text_of(RUN, {"record": "weather", "sky": [3]}, *WHOLE[1:]),
    "a later kind first": text_of({"record": "weather"}, *WHOLE),
    "a record between processes": text_of(*WHOLE, {"record": "visit", "curve": 3}),
    "a field of a later version": changed(SAMPLE, mood=[{}]),
    "null where nothing is known": changed(SAMPLE, state=None, t=None, visits=None, interval=None),
    "no state": text_of(RUN, {key: each for key, each in SAMPLE.items() if key not in ("state", "t")}),
    "a unit of a later version": changed(SAMPLE, unit="furlongs"),
    "a type of a later version": changed(DEVICE, type="quantum"),
    "a device of no type": changed(DEVICE, type=None),
    "memory without a size": changed(LEVEL, bytes=None),
    "no transition": changed(LEVEL, transition=None),
    "a negative share": changed(SAMPLE, unit="ratio", values=[-0.5]),
    "a cost of nothing": changed(SAMPLE, unit="us", values=[0]),
    "one negative value of three": changed(SAMPLE, values=[-1, 1, 2]),
    "visits": changed(SAMPLE, visits=[1, 1]),
    "the largest working set": changed(SAMPLE, x={"bytes": 2**50}),
    "the largest seed": changed(RUN, seed=2**64 - 1),
    "a whole number as a fraction": changed(SAMPLE, values=[1.0]),
}

REFUSED = {
    "nothing": "",
    "a byte order mark alone": MARK,
    "a byte order mark within": text_of(RUN) + MARK + text_of(SAMPLE),
    "no run": text_of(SAMPLE),
    "a run twice": text_of(RUN, RUN),
    "two runs": text_of(RUN, {**RUN, "seed": 2}),
    "a record without a kind": text_of(RUN, {"mood": 1}),
    "a kind that is a number": text_of(RUN, {"record": 3}),
    "a list": text_of(RUN) + "[]\n",
    "a later schema": text_of({**RUN, "schema": 2}),
    "no schema": text_of({"record": "run"}),
    "a schema in words": text_of({**RUN, "schema": "1"}),
    "a whole last line that is no record": text_of(RUN) + '{"record": "sample"}',
    "an unfinished line within": text_of(RUN) + '{"record": "sa\n' + text_of(SAMPLE),
    "NaN": text_of(*WHOLE).replace("1.5", "NaN"),
    "more than any number": text_of(*WHOLE).replace("1.5", "1e400"),
    "more than any value": changed(SAMPLE, values=[1e301]),
    "a letter that is none": text_of(RUN, SAMPLE).replace("vector", "\\ud800"),
    "no values": changed(SAMPLE, values=[]),
    "values of null": changed(SAMPLE, values=None),
    "a value of null": changed(SAMPLE, values=[1, None]),
    "a value that is true": changed(SAMPLE, values=[True]),
    "a value in words": changed(SAMPLE, values=["1"]),
    "values of nothing": changed(SAMPLE, values=[0, 0, 1]),
    "a negative cost": changed(SAMPLE, unit="us", values=[1, -1]),
    "no bytes": changed(SAMPLE, x={"bytes": 0}),
    "half a byte": changed(SAMPLE, x={"bytes": 0.5}),
    "more than any memory": changed(SAMPLE, x={"bytes": 2**51}),
    "no groups": changed(SAMPLE, x={"groups": 0}),
    "no queues": changed(SAMPLE, x={"queues": -1}),
    "a coordinate in words": changed(SAMPLE, x={"bytes": "4K"}),
    "a coordinate of null": changed(SAMPLE, x={"bytes": None}),
    "a series of null": changed(SAMPLE, series=None),
    "a word of null": changed(SAMPLE, series={"path": None}),
    "a word of nothing": changed(SAMPLE, series={"path": ""}),
    "a word without a key": changed(SAMPLE, series={"": "vector"}),
    "a device of null": changed(SAMPLE, device=None),
    "a device of nothing": changed(SAMPLE, device=""),
    "a name that is too long": changed(SAMPLE, device="x" * 1001),
    "no unit": changed(SAMPLE, unit=""),
    "visits of more values": changed(SAMPLE, visits=[2, 2]),
    "visits of fewer values": changed(SAMPLE, visits=[1]),
    "negative visits": changed(SAMPLE, visits=[-1, 3]),
    "time before the run": changed(SAMPLE, t=-1),
    "a share above all": changed(SAMPLE, state={"foreign_cpu": 2}),
    "a negative share of time": changed(SAMPLE, state={"steal": -0.1}),
    "disturbed in words": changed(SAMPLE, state={"disturbed": "no"}),
    "steps as a fraction": changed(SAMPLE, state={"steps": 1.0}),
    "a shape of lists": changed(SAMPLE, state={"shape": {"groups": [1]}}),
    "a clock of nothing": changed(SAMPLE, state={"clock_mhz": 0}),
    "half an interval": changed(SAMPLE, interval={"low": 1}),
    "a device without a name": text_of(RUN, {"record": "device", "device": "d"}),
    "an id that is a number": changed(DEVICE, uuid=3),
    "caches that are none": changed(DEVICE, stated_caches=[{"level": 1}]),
    "a line of a mebibyte": changed(DEVICE, line_bytes=1 << 21),
    "units as a fraction": changed(DEVICE, compute_units=1.5),
    "level 0": changed(LEVEL, level=0),
    "a level in words": changed(LEVEL, level="1"),
    "a size of nothing": changed(LEVEL, bytes={"low": 0, "value": 0, "high": 1}),
    "a size without its bounds": changed(LEVEL, bytes={"value": 1}),
    "a latency of null": changed(LEVEL, latency_ns={"low": 1, "value": None, "high": 2}),
    "a transition from nothing": changed(LEVEL, transition={"onset": 0, "end": 1}),
    "a match of nothing": changed(LEVEL, matches=0),
    "a finding without evidence": changed(FINDING, evidence=None),
    "evidence of nothing": changed(FINDING, evidence=""),
    "a finding in words": changed(FINDING, value="6M"),
    "details in words": changed(FINDING, details={"p99_ns": "x"}),
    "a counter without a source": changed(COUNTER, source=None),
    "a counter without time": changed(COUNTER, dt=0),
    "negative traffic": changed(COUNTER, memory_read=-1),
    "a scale of nothing": changed(COUNTER, scale=0),
    "labels that are none": changed(COUNTER, state={"labels": "reset"}),
    "no reason": changed(SKIP, reason=None),
    "a reason of nothing": changed(SKIP, reason=""),
    "a curve without a title": changed(CURVE, title=None),
    "a table in words": changed(CURVE, table="bytes"),
    "a clock twice": changed(CURVE, per_clock=2),
    "keys in words": changed(KIND, named_by="engine"),
    "no heading": changed(KIND, heading=""),
    "no status": changed(END, status=None),
    "negative seconds": changed(END, seconds=-1),
    "half a sample": changed(END, samples=0.5),
    "negative cores": changed(RUN, host={"cores": -1}),
    "a host in words": changed(RUN, host="here"),
    "a command in words": changed(RUN, command="sonde run"),
}


@pytest.mark.parametrize(("text", "is_taken"), [
    *(pytest.param(text, True, id=name) for name, text in TAKEN.items()),
    *(pytest.param(text, False, id=name) for name, text in REFUSED.items()),
])  # fmt: skip
def test_both_take_the_same_files_and_refuse_the_same(sonde, text, is_taken):
    path = sonde.folder / "run.jsonl"
    path.write_bytes(text.encode())
    shown = sonde("show", path)
    assert (shown.status == 0) == is_taken, shown.err
    try:
        records.read(path, io.StringIO())
        refusal = None
    except records.RecordFileError as error:
        refusal = str(error)
    assert (refusal is None) == is_taken, refusal
