"""The section on the roofline: slopes of levels, flat roofs of types, and points below them."""

import synthetic
from sonde_tools import pictures, records
from sonde_tools.devices import device_views
from sonde_tools.roofline import ROOFLINE, rooflines

KIB, MIB = 1 << 10, 1 << 20
LEVELS = [("level 1", 16 * KIB, 2000), ("memory", 128 * MIB, 250)]
PEAKS = {"fp64": 500, "fp32": 1000, "int32": 990}


def sample(value, unit="Gop/s", api="opencl", x=None, **series):
    """What a run records of one point."""
    (one,) = synthetic.sample_records(api, 1, every=1000)
    series = {"type": "fp32", "operation": "fma", "chain": "parallel", **series}
    return {**one, "probe": "compute", "series": series, "x": x or {}, "unit": unit, "values": [value] * 7}


def ridge(level, value, api="opencl"):
    """What a run concludes of one level."""
    series = {"type": "fp32", "operation": "fma", "chain": "parallel", "level": level}
    return synthetic.finding_record(
        "ridge", api=api, probe="compute", series=series, value=value, unit="operations/byte"
    )


def samples(api="opencl", share=0.95):
    """Rates of types, and points that reach a share of the lower roof; ridges of another rate than the medians'."""
    found = [sample(rate, api=api, type=name) for name, rate in PEAKS.items()]
    for level, size_bytes, gbps in LEVELS:
        at = {"api": api, "level": level, "sharing": "private" if level == "memory" else "shared"}
        found.append(sample(gbps, "GB/s", x={"operations_per_byte": 0, "bytes": size_bytes}, **at))
        for operations in (0.25, 1, 64):
            rate = share * min(PEAKS["fp32"], gbps * operations)
            found.append(sample(rate, x={"operations_per_byte": operations, "bytes": size_bytes}, **at))
        found.append(ridge(level, 1100 / gbps, api))
    return found


def view(tmp_path, *lines, **device):
    written = synthetic.write(
        tmp_path / "run.jsonl", [synthetic.run_record(), synthetic.device_record(**device), *lines]
    )
    return device_views([records.read(written)])[0]


def test_each_api_has_roofs_for_levels_and_types(tmp_path):
    both = rooflines(view(tmp_path, *samples(), *samples("vulkan")))
    assert [one.label for one in both] == ["OpenCL", "Vulkan"]
    assert [(roof.level, roof.gbps, len(roof.points)) for roof in both[0].roofs] == [
        ("level 1", 2000, 3), ("memory", 250, 3),
    ]  # fmt: skip
    assert both[0].peaks == PEAKS


def test_a_roof_is_where_the_run_concluded_that_it_is(tmp_path):
    concluded = {**ridge("memory", 3), "details": {"bytes": 1 << 26, "gbps": 333, "gops": 1000}}
    others = [one for one in samples() if one["record"] != "finding" or one["series"] != concluded["series"]]
    (one,) = rooflines(view(tmp_path, *others, concluded))
    assert [(roof.gbps, roof.ridge) for roof in one.roofs] == [(2000, 0.55), (333, 3)]


def test_ridges_are_told_in_words(tmp_path):
    ((_, text),) = ROOFLINE.summary(view(tmp_path, *samples()))
    assert text == (
        "OpenCL: fp32 needs 0.550 from level 1, 4.40 from memory operations a byte until arithmetic is the limit"
    )


def test_without_a_conclusion_there_is_no_ridge(tmp_path):
    unfinished = view(tmp_path, *(one for one in samples() if one["record"] != "finding"))
    assert ROOFLINE.summary(unfinished) == []
    assert len(ROOFLINE.tables(unfinished)) == 1


def test_the_picture_has_slopes_flat_roofs_and_points(tmp_path):
    picture = ROOFLINE.chart(view(tmp_path, *samples(), *samples("vulkan")))
    rows = picture.specification["data"]["values"]
    names = {row["name"] for row in rows if row["part"] == "slope"}
    assert names == {
        f"{level}, {api}: {gbps} GB/s" for level, _, gbps in LEVELS for api in ("OpenCL", "Vulkan")
    }  # fmt: skip
    flats = [row["name"] for row in rows if row["part"] == "flat"]
    # Rates that are alike share a name, as two names would lie over one another.
    assert sorted(filter(None, flats)) == ["fp32, int32: 1000 Gop/s", "fp64: 500 Gop/s"]
    assert {row["series"] for row in rows if row["part"] == "point"} == {"level 1", "memory"}
    assert {(row["api"], row["dashed"]) for row in rows} == {("OpenCL", False), ("Vulkan", True)}
    assert {row["share_text"] for row in rows if row["part"] == "point"} == {"0.950"}
    for row in rows:
        if row["part"] == "slope":
            assert abs(row["y2"] / row["x2"] / (row["y"] / row["x"]) - 1) < 1e-9
    assert pictures.svg(picture).startswith("<svg")


def test_names_are_not_drawn_over_one_another(tmp_path):
    rows = ROOFLINE.chart(view(tmp_path, *samples(), *samples("vulkan"))).specification["data"]["values"]
    places = sorted(row["name_y"] for row in rows if row["part"] == "slope")
    assert all(second > 1.05 * first for first, second in zip(places, places[1:], strict=False))


def test_a_row_an_intensity_and_a_table_of_the_ridges(tmp_path):
    points, ridges = ROOFLINE.tables(view(tmp_path, *samples()))
    rows = {name: [cell.text for cell in cells] for name, cells in points.rows}
    assert points.headings[1:] == ["level 1", "memory"] and rows["64"] == ["950", "950"]
    assert [(name, cells[0].text) for name, cells in ridges.rows] == [
        ("level 1", "0.55 operations/byte"),
        ("memory", "4.4 operations/byte"),
    ]


def test_simulated_devices_are_marked(tmp_path):
    simulated = [{**one, "api": "model"} for one in samples()]
    picture = ROOFLINE.chart(view(tmp_path, *simulated, type="model", name="made up"))
    assert "simulated" in str(picture.specification["layer"][0])
    assert "simulated roofline" in picture.specification["title"]["text"]


def test_without_levels_there_is_no_section(tmp_path):
    assert not ROOFLINE.applies(view(tmp_path, sample(1000)))
