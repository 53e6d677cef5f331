"""Record files that `levels` is given and that nobody may trust: one sentence with file, line and field, status 2."""

import json
import os

import pytest
from refusals import assert_refused

RUN = {"record": "run", "schema": 1, "run": "u", "seed": 1}
SAMPLE = {
    "record": "sample", "device": "d", "api": "opencl", "probe": "latency", "series": {"order": "cycle"},
    "x": {"bytes": 4096}, "unit": "ns", "values": [1.5], "state": {}, "t": 1,
}  # fmt: skip


def spoilt(**fields):
    return json.dumps({**SAMPLE, **fields})


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (spoilt(values=[]), "values"),
        (spoilt(values=[0, 0, 0]), "values must be above 0"),
        (spoilt(values=[1, -1]), "values must be above 0"),
        (spoilt(unit="us", values=[1, -1]), "values must not be below 0"),
        (spoilt(values=[None]), "values"),
        (spoilt(values="x"), "values"),
        (spoilt(x={"bytes": 0}), "x.bytes"),
        (spoilt(x={"bytes": 1e300}), "x.bytes"),
        (spoilt(x={"bytes": "4K"}), "x must be"),
        (spoilt(series={"order": 3}), "series must be"),
        (spoilt(device=3), "device must be a text"),
        (spoilt(state=[]), "state must be an object"),
        (spoilt(state={"involuntary_switches": 1.5}), "involuntary_switches must be a whole number"),
        (spoilt(state={"steps": -1}), "steps must be a larger number"),
        (spoilt(state={"disturbed": 1}), "disturbed must be true or false"),
        (spoilt().replace("1.5", "1e999"), "not valid JSON"),
        ("[" * 50_000, "not valid JSON"),
        ("3", "no record"),
        ('{"record": 3}', "record must be a text"),
        ('{"record": "device", "device": "d", "line_bytes": 4000000000}', "line_bytes"),
        (json.dumps(RUN), "second run"),
        (json.dumps({**RUN, "schema": 7}), "second run"),
    ],
)
def test_levels_names_file_line_and_field(sonde, line, says):
    (sonde.folder / "mine.jsonl").write_text("\n".join([json.dumps(RUN), json.dumps(SAMPLE), line, ""]))
    assert_refused(sonde, "levels", "mine.jsonl", says=["mine.jsonl, line 3", says])


def test_a_cost_of_nothing_and_a_negative_share_are_values(sonde):
    of_no_curve = [
        spoilt(unit="us", values=[0, 1.5]),
        spoilt(unit="ratio", values=[-0.1]),
        spoilt(values=[-2.9, 1.4, 1.5]),
    ]
    (sonde.folder / "mine.jsonl").write_text("\n".join([json.dumps(RUN), *of_no_curve, ""]))
    done = sonde("levels", "mine.jsonl")
    assert "must" not in done.err


@pytest.mark.parametrize("count", [1, 2])
def test_a_curve_of_few_points_says_why_it_has_no_levels(sonde, count):
    found = [spoilt(x={"bytes": 4096 << step}, t=step + 1) for step in range(count)]
    (sonde.folder / "mine.jsonl").write_text("\n".join([json.dumps(RUN), *found, ""]))
    for words in ((), ("--json",)):
        done = sonde("levels", "mine.jsonl", *words)
        assert done.status == 0 and "no levels, as there" in done.out + done.err


def test_a_curve_of_more_points_than_any_run_has_is_refused(sonde):
    found = [spoilt(x={"bytes": 4096 + 64 * step}, t=step + 1) for step in range(20_000)]
    (sonde.folder / "mine.jsonl").write_text("\n".join([json.dumps(RUN), *found, ""]))
    assert_refused(sonde, "levels", "mine.jsonl", says="more than any run measures")


@pytest.mark.parametrize("file", ["/dev/zero", "/dev/null", ".", "nowhere.jsonl"])
def test_what_is_no_regular_file_is_not_read(sonde, file):
    assert_refused(sonde, "levels", file, says="cannot be read")
    if file != "nowhere.jsonl":
        assert_refused(sonde, "run", "--device", f"model:{file}", says=file)


@pytest.mark.skipif(not os.access("/proc/kmsg", os.R_OK), reason="the kernel's messages are root's to read")
def test_a_file_of_the_system_that_waits_is_not_waited_for(sonde):
    assert_refused(sonde, "levels", "/proc/kmsg", says="cannot be read")
    assert_refused(sonde, "run", "--device", "model:/proc/kmsg", says="cannot be read")


def test_a_file_larger_than_any_run_is_not_read(sonde):
    with (sonde.folder / "large.jsonl").open("wb") as file:
        file.truncate(257 << 20)
    assert_refused(sonde, "levels", "large.jsonl", says="larger than 256 MiB")


def test_control_characters_of_a_file_reach_no_terminal(sonde, model_file):
    nasty = "GPU\x1b[31m\x07\x9b"
    lines = [RUN, {"record": "device", "device": "d", "name": nasty, "line_bytes": 64}]
    lines += [{**SAMPLE, "x": {"bytes": 4096 * 2**step}, "values": [1.5] * 7} for step in range(9)]
    (sonde.folder / "mine.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    run = ("run", "--device", model_file(name=nasty), "--probe", "latency", "--sizes", "4K:16K", "--time", "1")
    (sonde.folder / "escaped\x1b[31m.jsonl").write_text((sonde.folder / "mine.jsonl").read_text())
    asked = [("levels", "mine.jsonl"), (*run, "-o", "run.jsonl"), ("levels", "bad\x1b[31m.jsonl")]
    for words in (*asked, ("show", "escaped\x1b[31m.jsonl"), (*run, "-o", "another\x1b[31m.jsonl")):
        done = sonde(*words)
        assert not set("\x1b\x07\x9b") & set(done.out + done.err), words
        assert "\\x1b[31m" in done.out + done.err
