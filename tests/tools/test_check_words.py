"""The words in the sources are those of the schema, both ways; and the check that says so notices when they are not."""

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SPECIFICATION = importlib.util.spec_from_file_location("check_words", ROOT / "tools" / "check_words.py")
check_words = importlib.util.module_from_spec(SPECIFICATION)
sys.modules["check_words"] = check_words
SPECIFICATION.loader.exec_module(check_words)

PROBE = "host/probes/latency/latency.cpp"
REPORT = "tools/sonde_tools/latency.py"

# A line with a word that the table lacks, and what is said of it.
UNKNOWN = [
    (PROBE, 'return {{"path", "diagonal"}};', ("series", "path diagonal")),
    (PROBE, 'return {{"memory", "host-visible+shiny"}};', ("series", "memory host-visible+shiny")),
    (PROBE, 'series["fabric"] = "busy";', ("series", "fabric busy")),
    (PROBE, 'series["colour"] = word;', ("key", "colour")),
    (PROBE, 'if (point.series.contains("colour")) return;', ("key", "colour")),
    (PROBE, 'point.x["kilobytes"] = 4;', ("x", "kilobytes")),
    (PROBE, 'return point.x.at("kilobytes");', ("x", "kilobytes")),
    (PROBE, '.x = {{"kilobytes", size}},', ("x", "kilobytes")),
    (PROBE, '.unit = "seconds",', ("unit", "seconds")),
    (PROBE, 'if (one.unit != "seconds") continue;', ("unit", "seconds")),
    (PROBE, '.name = "fast",', ("finding or probe", "fast")),
    (PROBE, 'finding.name = "fast";', ("finding", "fast")),
    ("host/summary/summary.cpp", 'return line.finding.name == "fast";', ("finding", "fast")),
    ("host/summary/summary.cpp", 'return line.origin.probe == "speed";', ("probe", "speed")),
    (REPORT, 'entry.curve.series.get("order") == "random"', ("series", "order random")),
    (REPORT, 'entry.curve.series.get("side", "left")', ("series", "side left")),
    (REPORT, 'entry.curve.series.get("colour")', ("key", "colour")),
    (REPORT, '"colour" not in entry.curve.series', ("key", "colour")),
    (REPORT, '("CPU", "ns", {"side": "left"})', ("series", "side left")),
    (REPORT, 'point.x["kilobytes"]', ("x", "kilobytes")),
    (REPORT, 'entry.curve.unit == "seconds"', ("unit", "seconds")),
    (REPORT, 'found.get("unit") != "seconds"', ("unit", "seconds")),
    (REPORT, 'found["finding"] == "fast"', ("finding", "fast")),
    (REPORT, 'entry.curve.probe == "speed"', ("probe", "speed")),
]

KNOWN = [
    (PROBE, 'return {{"path", "vector"}, {"memory", "host-visible+host-coherent"}};  // or {{"path", "diagonal"}}'),
    (PROBE, '.name = "latency", .unit = "GB/s", .x = {{"bytes", 64}}'),
    (PROBE, 'constexpr std::pair more{"colour", "green"};'),  # no key of a series: of something else
    ("host/device/opencl/buffer.cpp", '.name = "a kind of memory",'),
    (REPORT, 'entry.curve.series.get("order") == "page" and "path" in entry.curve.series'),
]


@pytest.fixture(scope="module")
def words():
    return check_words.table(ROOT)


def test_the_repository_passes(capsys):
    assert check_words.main([str(ROOT)]) == 0, capsys.readouterr().out


@pytest.mark.parametrize(("path", "line", "said"), UNKNOWN)
def test_an_unknown_word_is_found(words, path, line, said):
    found = list(check_words.unknown_words(path, f"first line\n{line}\n", words))
    assert (2, *said) in found


@pytest.mark.parametrize(("path", "line"), KNOWN)
def test_a_known_word_is_not(words, path, line):
    assert list(check_words.unknown_words(path, line, words)) == []


def test_a_word_that_nothing_writes_is_found(words):
    every = [*sum(words.kinds.values(), []), *sum(words.series.values(), []), *words.flags]
    source = "\n".join(f'"{word}"' for word in every)
    assert check_words.unwritten_words([source], words) == []
    without = source.replace('"scalar"', '// "scalar"').replace('"rdma-capable"', "").replace('"suspicious"', "")
    assert check_words.unwritten_words([without], words) == [
        ("finding", "suspicious"), ("path", "scalar"), ("memory", "rdma-capable"),
    ]  # fmt: skip
    # An absent key means its default.
    assert check_words.unwritten_words([source.replace('"program"', "")], words) == []


def test_the_place_of_a_word_is_told(tmp_path, capsys):
    schema = tmp_path / check_words.TABLE
    schema.parent.mkdir()
    schema.write_text((ROOT / check_words.TABLE).read_text(encoding="utf-8"), encoding="utf-8")
    source = tmp_path / PROBE
    source.parent.mkdir(parents=True)
    source.write_text('const Probe latency{\n    .name = "speed"};\n', encoding="utf-8")
    assert check_words.main([str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert f"{PROBE}:2: docs/records.schema.json has no finding or probe 'speed'" in said
    assert "nothing in host/ writes probe 'latency'" in said
