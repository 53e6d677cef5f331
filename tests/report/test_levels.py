"""Levels: whose they are, how they read, and how a chart notes them."""

import itertools

import pytest
import synthetic
from sonde_tools import levels, records
from sonde_tools.devices import device_views
from sonde_tools.latency import LATENCY, further_curves, latency_curves

FIVE = [(16 << 10, 28.5), (128 << 10, 48.1), (4 << 20, 86.6), (96 << 20, 160), (None, 284)]


def view(tmp_path, *lines):
    return device_views([records.read(synthetic.write(tmp_path / "run.jsonl", [synthetic.run_record(), *lines]))])[0]


def two_apis(tmp_path, opencl, vulkan):
    samples = [synthetic.sample_records(api, 1, every=9) for api in ("opencl", "vulkan")]
    return view(tmp_path, *samples[0], *samples[1], *opencl, *vulkan)


def layers(chart):
    """The layers of a chart that have data of their own: what is noted on it."""
    own = [layer for layer in chart.to_dict()["layer"] if "values" in layer.get("data", {})]
    return [layer for layer in own if not any("outside" in row for row in layer["data"]["values"])]


def curve_encoding(chart):
    """How the curves of a chart (object) are drawn: the first layer that has no data of its own."""
    return next(layer["encoding"] for layer in chart["layer"] if "values" not in layer.get("data", {}))


def test_levels_belong_to_their_curve_in_order(tmp_path):
    own = synthetic.level_records("opencl")
    written = [{**level, "series": {"order": "cycle", "path": "vector"}} for level in reversed(own)]
    other = [{**own[0], "series": {"path": "scalar"}}, {**own[0], "device": "gpu-1"}, {**own[0], "probe": "copy"}]
    bandwidth = {key: value for key, value in own[0].items() if key != "latency_ns"}
    found = two_apis(tmp_path, [*written, *other, bandwidth], [])
    opencl, vulkan = latency_curves(found)
    assert [level["level"] for level in levels.levels_of(opencl)] == [1, 2, 3, 4]
    assert levels.levels_of(vulkan) == []


def test_the_line_under_the_title_names_the_levels(tmp_path):
    found = two_apis(tmp_path, synthetic.level_records("opencl"), [])
    (_, opencl), (_, vulkan) = LATENCY.summary(found)
    assert opencl == (
        "OpenCL: level 1 of 32 KiB at 1.50 ns, level 2 of 2 MiB at 4.60 ns, level 3 of 48 MiB at 22.0 ns, "
        "memory at 96.0 ns"
    )
    assert vulkan.startswith("Vulkan: 1.5") and " in 1 KiB, " in vulkan


def test_table_has_the_apis_side_by_side(tmp_path):
    opencl, vulkan = synthetic.level_records("opencl"), synthetic.level_records("vulkan", levels=FIVE)
    table, _ = LATENCY.tables(two_apis(tmp_path, opencl, vulkan))
    assert table.groups == [("OpenCL", 3), ("Vulkan", 3)]
    assert table.headings == ["Level", *["Size", "Transition", "Latency"] * 2]
    rows = {name: [" ".join(filter(None, [cell.text, cell.detail])) for cell in cells] for name, cells in table.rows}
    assert list(rows) == ["level 1", "level 2", "level 3", "level 4", "memory"]
    assert rows["level 1"][:3] == ["32 KiB (31 to 33)", "32 to 44.8 KiB", "1.50 ns (1.48 to 1.52)"]
    assert rows["level 4"][:3] == ["–", "–", "–"] and rows["level 4"][3] == "96 MiB (93.1 to 98.9)"
    assert rows["memory"] == ["–", "–", "96.0 ns (95.0 to 97.4)", "–", "–", "284 ns (281 to 288)"]


@pytest.mark.parametrize(
    ("transition", "text"),
    [(None, "–"), ({"onset": None, "end": None}, "–"), ({"onset": 48 << 10, "end": None}, "from 48 KiB"),
     ({"onset": None, "end": 3 << 20}, "to 3 MiB"), ({"onset": 48 << 10, "end": 54 << 10}, "48 to 54 KiB")],
)  # fmt: skip
def test_transition_as_far_as_it_is_known(transition, text):
    assert levels.transition_text({"transition": transition}) == text


@pytest.mark.parametrize("name", ["level 2", "memory", "beyond"])
def test_a_level_is_called_what_the_record_calls_it(name):
    for size in (None, {"low": 1, "value": 2, "high": 3}):
        assert levels.name({"level": 3, "name": name, "bytes": size}) == name


def test_a_last_level_that_may_be_translation_says_so():
    assert levels.name({"name": "beyond", "or_translation": True}) == "beyond, or translation"


def test_a_level_of_an_old_file_is_called_by_its_number_or_memory():
    band = {"low": 4, "value": 4, "high": 40}
    assert levels.name({"level": 3, "series": {}, "bytes": band, "latency_ns": band}) == "level 3"
    assert levels.name({"level": 3, "series": {"path": "local"}, "bytes": None, "latency_ns": band}) == "memory"


def test_what_a_curve_that_still_rises_ends_in_is_not_called_memory(tmp_path):
    own = synthetic.level_records("opencl")
    own[-1].update(latency_ns={"low": 11.5, "value": 12.3, "high": 137}, name="beyond")
    found = two_apis(tmp_path, own, [])
    (_, opencl), _ = LATENCY.summary(found)
    assert opencl.endswith("beyond at 12.3 ns")
    table, _ = LATENCY.tables(found)
    assert [name for name, _ in table.rows] == ["level 1", "level 2", "level 3", "beyond"]


def test_without_levels_the_chart_is_as_before(tmp_path):
    found = two_apis(tmp_path, [], [])
    chart = LATENCY.chart(found).to_dict()
    assert layers(LATENCY.chart(found)) == [] and len(LATENCY.tables(found)) == 1
    assert chart["config"]["legend"]["offset"] == 8 and "Thick" not in LATENCY.legend(found)


def test_levels_are_drawn_with_their_series(tmp_path):
    found = two_apis(tmp_path, *(synthetic.level_records(api, levels=FIVE) for api in ("opencl", "vulkan")))
    noted = layers(LATENCY.chart(found))
    bands, rules, wide, plateaus, cells, ends, texts, names = (layer["data"]["values"] for layer in noted)
    # Every one goes when its series is switched off.
    assert all(layer["transform"] == [{"filter": {"param": "shown"}}] for layer in noted)
    assert [row["at"] for row in rules] == [size for size, _ in FIVE[:-1]] * 2 and bands == rules
    assert wide == [] and "range at" not in LATENCY.legend(found)
    # A level serves from where the one before has ended to its own onset, memory to the end of the walk.
    opencl = [row for row in plateaus if row["series"] == "OpenCL"]
    assert [row["latency"] for row in opencl] == [latency for _, latency in FIVE] and len(plateaus) == 10
    assert all(row["until"] <= after["start"] for row, after in itertools.pairwise(opencl))
    assert opencl[-1]["until"] == 256 << 20
    assert len(cells) == len(texts) == len(ends) == 10 and [row["name"] for row in names] == ["OpenCL", "Vulkan"]
    assert {(row["series"], row["dashed"]) for row in rules} == {("OpenCL", False), ("Vulkan", True)}


def test_texts_of_two_series_are_in_rows_of_their_own(tmp_path):
    found = two_apis(tmp_path, *(synthetic.level_records(api, levels=FIVE) for api in ("opencl", "vulkan")))
    chart = LATENCY.chart(found)
    cells = layers(chart)[4]["data"]["values"]
    spans = sorted({(cell["top"], cell["foot"], cell["series"]) for cell in cells})
    assert [series for _, _, series in spans] == ["OpenCL", "Vulkan"]
    assert spans[0][1] < spans[1][0] < spans[1][1] < 0
    assert chart.to_dict()["config"]["legend"]["offset"] > 8 - spans[0][0]
    assert cells[0]["whole"] == "level 1: 16 KiB, 28.5 ns" and cells[4]["whole"] == "memory: 284 ns"


def test_levels_without_transition_or_size_are_drawn(tmp_path):
    first, *_, last = synthetic.level_records("opencl")
    del last["transition"]
    found = two_apis(tmp_path, [{**first, "transition": None, "bytes": {**first["bytes"], "low": 0}}, last], [])
    bands, edges, wide, *_ = (layer["data"]["values"] for layer in layers(LATENCY.chart(found)))
    # What is known worse than to a factor of two is no band, which would cover the picture.
    assert bands == [] and edges == [{key: row[key] for key in edges[0]} for row in wide] and wide[0]["low"] == 1
    assert "a range at the foot" in LATENCY.legend(found)


def test_a_level_that_may_lie_further_out_has_no_plateau(tmp_path):
    own = synthetic.level_records("opencl", levels=FIVE)
    own[-1].update(name="beyond", unfinished=True)
    noted = layers(LATENCY.chart(two_apis(tmp_path, own, [])))
    assert [row["latency"] for row in noted[3]["data"]["values"]] == [latency for _, latency in FIVE[:-1]]
    assert noted[4]["data"]["values"][-1]["whole"] == "beyond: > 284 ns"


def test_curves_of_other_orders_have_a_chart_of_their_own(tmp_path):
    found = view(tmp_path, *synthetic.full_records()[1:])
    assert [entry.label for entry in latency_curves(found)] == ["OpenCL", "Vulkan"]
    names = ["OpenCL, independent", "OpenCL, page", "Vulkan, independent", "Vulkan, page"]
    assert [entry.label for entry in further_curves(found)] == names
    further, main = (curve_encoding(each.to_dict()) for each in (LATENCY.further(found)[0].chart, LATENCY.chart(found)))
    assert further["color"]["scale"]["range"] == ["#0072b2", "#d55e00", "#0072b2", "#d55e00"]
    assert further["x"]["scale"]["domain"] == main["x"]["scale"]["domain"]


def test_other_paths_have_a_chart_of_their_own(tmp_path):
    scalar = synthetic.sample_records("opencl", 1, every=9, series={"path": "scalar"})
    atomic = synthetic.sample_records("opencl", 1, every=9, series={"pattern": "read-modify-write"})
    found = view(tmp_path, *synthetic.full_records()[1:], *scalar, *atomic)
    assert [entry.label for entry in latency_curves(found)] == ["OpenCL", "Vulkan"]
    assert len(further_curves(found)) == 4
    further, paths = LATENCY.further(found)
    assert (further.name, paths.name) == ("further", "paths")
    assert list(dict.fromkeys(line.series for line in paths.chart.lines)) == [
        "OpenCL", "Vulkan", "OpenCL, scalar", "OpenCL, read-modify-write",
    ]  # fmt: skip


def test_a_walk_that_was_kept_awake_is_beside_the_lone_one_and_has_the_levels(tmp_path):
    alone = synthetic.sample_records("vulkan", 1, every=9, factor=2)
    beside = synthetic.sample_records("vulkan", 1, every=9, series={"fabric": "loaded"})
    found_levels = [{**level, "series": {"fabric": "loaded"}} for level in synthetic.level_records("vulkan")]
    found = view(tmp_path, synthetic.device_record(), *alone, *beside, *found_levels)
    entries = latency_curves(found)
    assert [entry.label for entry in entries] == ["Vulkan", "Vulkan, fabric loaded"]
    assert [len(levels.levels_of(entry)) for entry in entries] == [0, 4]


def test_without_a_cycle_the_other_orders_are_the_main_chart(tmp_path):
    only = synthetic.sample_records("opencl", 1, every=9, series={"order": "page"})
    found = view(tmp_path, *only)
    assert [entry.label for entry in latency_curves(found)] == ["OpenCL, page"]
    assert LATENCY.further(found) == []


def rows_of(table):
    return {name: [" ".join(filter(None, [cell.text, cell.detail])) for cell in cells] for name, cells in table.rows}


def test_a_level_has_size_latency_and_bandwidth_in_one_row(tmp_path):
    three = [(32 << 10, 1.5), (2 << 20, 4.6), (None, 96.0)]
    latency = synthetic.level_records("opencl", levels=three)
    bandwidth = synthetic.bandwidth_level_records(matches=[1, 2, 3])
    table, *_ = LATENCY.tables(two_apis(tmp_path, [*latency, *bandwidth], []))
    assert table.headings == ["Level", "Size", "Transition", "Latency", "Bandwidth"]
    rows = rows_of(table)
    assert list(rows) == ["level 1", "level 2", "memory"]
    assert rows["level 1"][0] == "32 KiB (31 to 33)" and rows["level 1"][3] == "150 GB/s (147 to 153)"
    assert rows["memory"][2:] == ["96.0 ns (95.0 to 97.4)", "24.0 GB/s (23.5 to 24.5)"]


def test_a_level_that_one_probe_alone_sees_has_a_row_of_its_own(tmp_path):
    latency = synthetic.level_records("opencl", levels=[(2 << 20, 4.6), (None, 96.0)])
    bandwidth = synthetic.bandwidth_level_records(matches=[None, 1, 2])
    table, *_ = LATENCY.tables(two_apis(tmp_path, [*latency, *bandwidth], []))
    rows = rows_of(table)
    assert list(rows) == ["level 1", "level 1, by bandwidth", "memory"]
    assert rows["level 1, by bandwidth"][:3] == ["33 KiB (32 to 34)", "33 to 46.2 KiB", "–"]
    assert rows["level 1"][3] == "60.0 GB/s (58.8 to 61.2)"
    # Memory behind other caches is not the same.
    less = [*latency, *synthetic.bandwidth_level_records(levels=[(33 << 10, 150), (None, 24)])]
    rows = rows_of(LATENCY.tables(two_apis(tmp_path, less, []))[0])
    assert list(rows)[-2:] == ["memory", "memory, by bandwidth"]
    assert rows["memory"][3] == "–" and rows["memory, by bandwidth"][2:] == ["–", "24.0 GB/s (23.5 to 24.5)"]


@pytest.mark.parametrize(
    ("latency", "matches", "pairs"),
    [([1, 2], [1, 2], [(1, 1), (2, 2)]), ([1, 2], [2], [(1, None), (2, 1)]), ([1], [None, 1], [(1, 2), (None, 1)]),
     ([1, 2], [None, None], [(1, None), (2, None), (None, 1), (None, 2)]), ([], [None], [(None, 1)]),
     ([1], [7], [(1, None), (None, 1)]), ([], [], [])],
)  # fmt: skip
def test_levels_are_one_where_the_record_says_so(latency, matches, pairs):
    bandwidth = [{"level": number, "matches": level} for number, level in enumerate(matches, start=1)]
    found = levels.side_by_side([{"level": number} for number in latency], bandwidth)
    assert [tuple(level and level["level"] for level in pair) for pair in found] == pairs


def test_levels_of_an_old_file_match_none():
    found = levels.side_by_side([{"level": 1}], [{"level": 1}])
    assert found == [({"level": 1}, None), (None, {"level": 1})]
