"""Matrices of NUMA nodes, from a made-up record: pictures with numbers, and tables."""

import synthetic
from sonde_tools import heat_maps, pictures, records
from sonde_tools.cpu_bandwidth import CPU_BANDWIDTH, size_curves
from sonde_tools.cpu_latency import CPU_LATENCY, own_curves
from sonde_tools.devices import device_views

MIB = 1 << 20
BANDWIDTH = {"pattern": "read", "pinning": "compact", "bytes-counted": "program"}


def sample(probe, unit, value, series, **x):
    (one,) = synthetic.sample_records("cpu", 1, every=1000)
    return {**one, "probe": probe, "series": series, "unit": unit, "x": x, "values": [value] * 7}


def cells(probe, unit, words, values):
    """A sample for each {(from, to): value}."""
    return [
        sample(probe, unit, value, words | {"placement": "same-node" if start == end else "other-node"},
               **{"bytes": 440 * MIB, "cpu_threads": 8, "from": start, "to": end})
        for (start, end), value in values.items()
    ]  # fmt: skip


LATENCIES = cells("cpu-latency", "ns", {"pages": "huge"}, {(0, 0): 96.2, (0, 1): 116.2, (1, 0): 117.7, (1, 1): 95.2})
BANDWIDTHS = cells("cpu-bandwidth", "GB/s", BANDWIDTH, {(0, 0): 250, (0, 1): 80, (1, 0): 81, (1, 1): 251})
AT_ONCE = [
    sample("cpu-bandwidth", "GB/s", value, BANDWIDTH | {"placement": word}, bytes=880 * MIB, cpu_threads=16, hops=hops)
    for hops, word, value in [(0, "same-node", 500), (1, "other-node", 130)]
]
OF_SIZES = [
    *(sample("cpu-latency", "ns", value, {"pages": "small"}, bytes=size) for size, value in [(MIB, 4), (64 * MIB, 90)]),
    *(sample("cpu-bandwidth", "GB/s", value, BANDWIDTH, bytes=size, cpu_threads=16)
      for size, value in [(MIB, 900), (4 * MIB, 800), (64 * MIB, 500)]),
]  # fmt: skip


def view(tmp_path, *lines):
    written = synthetic.write(tmp_path / "run.jsonl", [synthetic.run_record(), synthetic.device_record(), *lines])
    return device_views([records.read(written)])[0]


def test_each_matrix_is_a_picture_with_its_numbers(tmp_path):
    found = view(tmp_path, *OF_SIZES, *LATENCIES, *BANDWIDTHS, *AT_ONCE)
    for section, numbers in [
        (CPU_LATENCY, {"96.2", "116", "118", "95.2"}),
        (CPU_BANDWIDTH, {"250", "80.0", "81.0", "251"}),
    ]:
        (figure,) = [figure for figure in section.further(found) if figure.name == "nodes"]
        assert {row["text"] for row in figure.chart.to_dict()["data"]["values"]} == numbers
        assert pictures.svg(figure.chart).startswith("<svg")


def test_the_slow_cells_are_the_dark_ones(tmp_path):
    found = view(tmp_path, *OF_SIZES, *LATENCIES, *BANDWIDTHS)
    reverse = [
        figure.chart.to_dict()["layer"][0]["encoding"]["color"]["scale"]["reverse"]
        for section in (CPU_LATENCY, CPU_BANDWIDTH)
        for figure in section.further(found)
        if figure.name == "nodes"
    ]
    assert reverse == [False, True]


def test_tables_are_matrices_too(tmp_path):
    found = view(tmp_path, *OF_SIZES, *LATENCIES, *BANDWIDTHS, *AT_ONCE)
    latency = CPU_LATENCY.tables(found)[-1]
    assert latency.caption.startswith("Latency from node to node, ns") and latency.headings == ["From", "0", "1"]
    assert [(name, [cell.text for cell in row]) for name, row in latency.rows] == [
        ("0", ["96.2", "116"]),
        ("1", ["118", "95.2"]),
    ]
    bandwidth = CPU_BANDWIDTH.tables(found)[-1]
    assert {name: [cell.text for cell in row] for name, row in bandwidth.rows} == {
        "0": ["250", "80.0", "–"], "1": ["81.0", "251", "–"], "hops 0": ["–", "–", "500"], "hops 1": ["–", "–", "130"],
    }  # fmt: skip


def test_nodes_are_no_part_of_the_curves(tmp_path):
    found = view(tmp_path, *OF_SIZES, *LATENCIES, *BANDWIDTHS, *AT_ONCE)
    assert [len(entry.curve.points) for entry in own_curves(found)] == [2]
    assert [len(entry.curve.points) for entry in size_curves(found)] == [3]


def test_a_node_without_cores_is_a_column_alone(tmp_path):
    found = view(tmp_path, *OF_SIZES, *cells("cpu-latency", "ns", {"pages": "huge"}, {(0, 0): 96, (0, 1): 130}))
    (figure,) = CPU_LATENCY.further(found)
    encoding = figure.chart.to_dict()["layer"][0]["encoding"]
    assert encoding["y"]["scale"]["domain"] == ["0"] and encoding["x"]["scale"]["domain"] == ["0", "1"]


def test_one_node_has_none(tmp_path):
    found = view(tmp_path, *OF_SIZES)
    assert (
        heat_maps.figures_of_nodes(found, "cpu-latency", "ns") == []
        and heat_maps.of_latest(found, "cpu-bandwidth", "GB/s") == []
    )


def test_of_two_runs_the_later_one_is_shown(tmp_path):
    later = [{**line, "values": [2 * value for value in line["values"]]} for line in (*BANDWIDTHS, *AT_ONCE)]
    files = [
        synthetic.write(tmp_path / name, [synthetic.run_record(), synthetic.device_record(), *OF_SIZES, *lines])
        for name, lines in (("first.jsonl", [*BANDWIDTHS, *AT_ONCE]), ("second.jsonl", later))
    ]
    (found,) = device_views([records.read(file) for file in files])
    matrix = CPU_BANDWIDTH.tables(found)[-1]
    assert [[cell.text for cell in cells if cell.text != "–"] for _, cells in matrix.rows] == [
        ["500", "160"], ["162", "502"], ["1000"], ["260"],
    ]  # fmt: skip
