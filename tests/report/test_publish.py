"""`sonde report --publish`: which pictures a review gets, and what their captions say."""

import pytest
import synthetic
from sonde_tools import publish, records
from sonde_tools.devices import device_views
from sonde_tools.report import main, shown


def run(tmp_path):
    bandwidth = synthetic.sample_records("opencl", 1, every=9, series={"pattern": "read", "sharing": "shared"})
    for sample in bandwidth:
        sample.update(probe="bandwidth", unit="GB/s")
    lines = synthetic.full_records()
    return synthetic.write(tmp_path / "run.jsonl", [*lines[:-1], *bandwidth, lines[-1]])


def test_pictures_and_captions_are_written_without_a_page(tmp_path):
    assert main([str(run(tmp_path)), "--publish", str(tmp_path / "review")]) == 0
    written = {file.name: file for file in (tmp_path / "review").iterdir()}
    pictures = {f"{probe}-cpu.{kind}" for probe in ("latency", "bandwidth") for kind in ("png", "svg")}
    assert written.keys() == {*pictures, publish.CAPTIONS}
    text = written[publish.CAPTIONS].read_text(encoding="utf-8")
    for said in (
        "# AMD EPYC 9554\n", "![Memory latency](latency-cpu.png)", "![Memory bandwidth](bandwidth-cpu.png)",
        "OpenCL: PoCL 3.1 · Vulkan: llvmpipe 22.3.6 · 2025-03-04", "Method: ", "95 % intervals",
        "| level 2 | 2 MiB (1.94 to 2.06) |", "| 256 MiB (largest) | 94.7 (94.6 to 95.7) |", "Other programs disturbed 10 of 258 points.",
    ):  # fmt: skip
        assert said in text, said


def test_a_review_gets_six_of_what_there_is_the_first_ones_first(tmp_path):
    view = device_views([records.read(run(tmp_path))])[0]
    _, sections, _ = shown(view)
    latency = next(section for section in sections if section.name == "latency")
    many = [type(latency)(**{**vars(latency), "name": name}) for name in reversed(publish.ORDER)]
    without = [type(latency)(**{**vars(latency), "name": "hit-rate", "chart": lambda _view: None})]
    assert [section.name for section, _ in publish._chosen(view, many)] == publish.ORDER[:6]
    kept = [section for section in many if section.name != "hit-rate"] + without
    assert [section.name for section, _ in publish._chosen(view, kept)] == [*publish.ORDER[:2], *publish.ORDER[3:7]]


def test_a_request_that_writes_nothing_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        main([str(run(tmp_path))])
    assert ended.value.code == 2 and "--publish DIR" in capsys.readouterr().err
