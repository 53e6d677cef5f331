"""Frames: the built-in one on a simulated device and on drivers, one of the user's own, and files that are wrong."""

import json

import pytest
from program_runs import of_kind
from refusals import assert_refused

# On every resolution little to move, as the tests have little time.
MINE = {
    "name": "mine",
    "textures": [{"name": "stone", "bytes_per_pixel": 2, "frames": 2}],
    "targets": [{"name": "depth", "bytes_per_pixel": 1}, {"name": "screen", "bytes_per_pixel": 1, "divided_by": 2}],
    "passes": [
        {"name": "depth", "reads": [{"of": "stone"}], "writes": "depth"},
        {"name": "screen", "reads": [{"of": "depth", "times": 2}], "writes": "screen"},
    ],
}
# Bytes a pixel: 1 of the texture and 1 written; twice 1 read and a fourth written.
MINE_BYTES_PER_PIXEL = 1 + 1 + 2 * 1 + 0.25


@pytest.fixture
def frame_file(sonde):
    """Writes a frame's file with the given fields changed, None to leave one out, and returns its name."""

    def write(**changed):
        fields = {name: value for name, value in {**MINE, **changed}.items() if value is not None}
        (sonde.folder / "mine.json").write_text(json.dumps(fields))
        return "mine.json"

    return write


def by_resolution(samples):
    """{(width, height): {unit: median}} of an API's samples."""
    found = {}
    for one in samples:
        row = found.setdefault((one["x"]["width"], one["x"]["height"]), {})
        row[one["unit"]] = sorted(one["values"])[len(one["values"]) // 2]
    return found


def test_frames_of_the_users_own_are_rendered_on_a_simulated_device(sonde, valid, model_file, frame_file):
    words = ("--probe", "frames", "--time", "1", "--frame", frame_file(), "-o", "run.jsonl")
    done = sonde("run", "--device", model_file(noise=None, memory_bytes=1 << 28), *words)
    assert done.status == 0, done.err
    valid(sonde.records())
    rows = by_resolution(of_kind(sonde.records(), "sample"))
    assert {(1280, 720), (1920, 1080), (3840, 2160)} <= rows.keys()
    for (width, height), row in rows.items():
        assert row["bytes"] == pytest.approx(width * height * MINE_BYTES_PER_PIXEL, rel=1e-5)
        assert row["GB/s"] == pytest.approx(row["bytes"] / row["ms"] / 1e6, rel=0.02)
    tables = sonde("show", "run.jsonl", "--probe", "frames").out
    assert "Simulated frames" in tables and "3840x2160" in tables


def test_frames_are_rendered_through_every_driver(sonde, valid, frame_file):
    words = ("--probe", "frames", "--time", "8", "--frame", frame_file(), "-o", "run.jsonl")
    done = sonde("run", "--device", "cpu", *words)
    assert done.status == 0, done.err + done.out
    valid(sonde.records())
    samples = of_kind(sonde.records(), "sample")
    assert {one["api"] for one in samples} == {"opencl", "vulkan"}
    assert {(640, 360), (960, 540)} <= by_resolution(samples).keys()
    assert not of_kind(sonde.records(), "error")


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"name": None}, "name"),
        ({"targets": None}, "targets"),
        ({"passes": []}, "passes"),
        ({"colour": "red"}, "colour"),
        ({"textures": [{"name": "stone", "bytes_per_pixel": 0}]}, "textures[0].bytes_per_pixel"),
        ({"targets": [{"name": "depth", "bytes_per_pixel": 1, "divided_by": 5}]}, "targets[0].divided_by"),
        ({"passes": [{"name": "one", "writes": "nothing"}]}, "passes[0].writes"),
        ({"passes": [{"name": "one", "reads": [{"of": "screen"}], "writes": "depth"}]}, "passes[0].reads[0].of"),
    ],
)
def test_a_wrong_file_is_refused_by_the_field(sonde, model_file, frame_file, changed, field):
    assert_refused(sonde, "run", "--device", model_file(), "--frame", frame_file(**changed), says=["mine.json", field])


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "\x00", "[" * 100_000])
def test_a_file_that_is_no_object_is_refused_by_its_name(sonde, model_file, text):
    (sonde.folder / "broken.json").write_text(text)
    assert_refused(sonde, "run", "--device", model_file(), "--frame", "broken.json", says="broken.json")


def test_a_file_that_is_not_there_is_refused(sonde, model_file):
    assert_refused(sonde, "run", "--device", model_file(), "--frame", "missing.json", says="missing.json")


def test_a_file_for_a_probe_that_is_not_asked_is_refused(sonde, model_file, frame_file):
    words = ("--probe", "latency", "--frame", frame_file())
    assert_refused(sonde, "run", "--device", model_file(), *words, says=["--frame", "--probe"])
