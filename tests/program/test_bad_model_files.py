"""A model file that is broken: the sentence names the file and the field."""

import pytest
from refusals import assert_refused

L1 = {"name": "L1", "bytes": 16384, "latency_ns": 40}
DRAM = {"name": "DRAM", "latency_ns": 300}


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"name": None}, "name"),
        ({"name": 7}, "name"),
        ({"name": ""}, "name"),
        ({"levels": None}, "levels"),
        ({"levels": []}, "levels"),
        ({"levels": {}}, "levels"),
        ({"levels": [7]}, "levels[0]"),
        ({"colour": "red"}, "colour"),
        ({"type": "cpu"}, "type"),
        ({"memory_bytes": -1}, "memory_bytes"),
        ({"memory_bytes": 1e300}, "memory_bytes"),
        ({"compute_units": 0}, "compute_units"),
        ({"clock_mhz": 0}, "clock_mhz"),
        ({"seed": "five"}, "seed"),
        ({"noise": 0.1}, "noise"),
        ({"noise": {"relative": 2}}, "noise.relative"),
        ({"noise": {"loud": True}}, "noise.loud"),
        ({"translation": {"page": 1000}}, "translation.page"),
        ({"levels": [L1, {**L1, "bytes": 8192}, DRAM]}, "levels[1].bytes"),
        ({"levels": [{"name": "L1", "latency_ns": 40}, DRAM]}, "levels[0].bytes"),
        ({"levels": [L1, {**DRAM, "bytes": 1 << 20}]}, "levels[1].bytes"),
        ({"levels": [L1, {"name": "DRAM"}]}, "levels[1].latency_ns"),
        ({"levels": [L1, {**DRAM, "latency_ns": -1}]}, "levels[1].latency_ns"),
        ({"levels": [{**L1, "ways": 0}, DRAM]}, "levels[0].ways"),
        ({"levels": [{**L1, "line": 100}, DRAM]}, "levels[0].line"),
        ({"levels": [{**L1, "policy": "fifo"}, DRAM]}, "levels[0].policy"),
        ({"levels": [{**L1, "per": "desk"}, DRAM]}, "levels[0].per"),
        ({"levels": [{**L1, "colour": "red"}, DRAM]}, "levels[0].colour"),
    ],
)
def test_names_the_field(sonde, model_file, changed, field):
    assert_refused(sonde, "run", "--device", model_file(**changed), says=["model.json", field])


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "{} {}", "\x00", '{"name": "a",}', "\ufeff", "[" * 100_000])
def test_names_a_file_that_is_no_object(sonde, text):
    (sonde.folder / "broken.json").write_text(text)
    assert_refused(sonde, "run", "--device", "model:broken.json", says="broken.json")


def test_names_a_folder_in_place_of_a_file(sonde):
    (sonde.folder / "folder.json").mkdir()
    assert_refused(sonde, "run", "--device", "model:folder.json", says="folder.json")
